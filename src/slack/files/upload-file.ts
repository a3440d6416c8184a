import { createHash } from 'node:crypto';
import type { SendFile } from '../../domain/ports/file-ports.ts';
import type { Log } from '../../domain/ports/log.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import { toPlainText } from '../text/mrkdwn.ts';
import type { SlackConnection } from '../transport/connect-slack.ts';
import { toChatError } from '../transport/slack-errors.ts';
import { isSlackUrl } from './slack-hosts.ts';

const MAY_HAVE_ARRIVED =
  'The file may have arrived anyway. Look at the thread before you try again.';

/** Creates the upload of a file to a thread. https://docs.slack.dev/messaging/working-with-files#upload */
export function createFileUpload(deps: {
  readonly connection: Pick<SlackConnection, 'client' | 'config'>;
  readonly log: Log;
}): SendFile {
  const { connection, log } = deps;
  const { client, config } = connection;

  return async ({ thread, name, bytes, comment }, signal) => {
    const { channel, root } = placeOf(thread);
    const upload = await client.files
      .getUploadURLExternal({ filename: name, length: bytes.length })
      .catch((error: unknown) => {
        throw toChatError(error, 'send the file');
      });
    const { upload_url: url, file_id: id } = upload;
    if (url === undefined || id === undefined || !isSlackUrl(url, config.apiUrl)) {
      throw new Error('Slack returned no upload URL of its own, so nothing was sent.');
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

/** Sends no token: the URL is valid for this upload only. */
async function post(url: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream' };
  const body = new Uint8Array(bytes);
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  await response.body?.cancel();
  if (response.ok) return;
  throw new Error(
    `Slack did not accept the file (status ${response.status}), so nothing was sent.`,
  );
}
