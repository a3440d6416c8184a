import { createHash } from 'node:crypto';
import type { SendFile } from '../../domain/ports/file-ports.ts';
import type { Log } from '../../domain/ports/log.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import { toPlainText } from '../text/mrkdwn.ts';
import type { SlackConnection } from '../transport/connect-slack.ts';
import { toChatError } from '../transport/slack-errors.ts';
import { isSlackUrl } from './slack-hosts.ts';

const MAY_HAVE_ARRIVED =
  'It may have arrived all the same: look at the thread before you try again.';

/** Makes the way of a file into its thread. https://docs.slack.dev/messaging/working-with-files#upload */
export function createFileUpload(deps: {
  readonly connection: Pick<SlackConnection, 'client' | 'config'>;
  readonly log: Log;
}): SendFile {
  const { connection, log } = deps;
  const { client, config } = connection;

  return async ({ thread, name, bytes, comment }, signal) => {
    const { channel, root } = placeOf(thread);
    const announced = await client.files
      .getUploadURLExternal({ filename: name, length: bytes.length })
      .catch((error: unknown) => {
        throw toChatError(error, 'send the file');
      });
    const { upload_url: url, file_id: id } = announced;
    if (url === undefined || id === undefined || !isSlackUrl(url, config.apiUrl)) {
      throw new Error('Slack named no address of its own for the file, so nothing was sent.');
    }
    await post(url, bytes, signal);
    signal.throwIfAborted();
    await client.files
      .completeUploadExternal({
        files: [{ id, title: name }],
        channel_id: channel,
        thread_ts: root,
        ...(comment && { initial_comment: toPlainText(comment) }),
      })
      .catch((error: unknown) => {
        const failure = toChatError(error, 'send the file');
        if (failure.code !== 'temporary') throw failure;
        throw new Error(`${failure.message} ${MAY_HAVE_ARRIVED}`, { cause: error });
      });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    log.info({ thread, file: id, size: bytes.length, sha256 }, 'Sent a file into a thread.');
  };
}

/** The address is good for this upload only, so no token goes with it. */
async function post(url: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream' };
  const body = new Uint8Array(bytes);
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  await response.body?.cancel();
  if (response.ok) return;
  throw new Error(`Slack did not take the file (status ${response.status}); nothing was sent.`);
}
