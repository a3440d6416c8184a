import { ChatError } from '../../domain/ports/chat.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { AttachmentSource, RejectedFile } from '../../domain/ports/file-ports.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Attachment } from '../../domain/threads/message.ts';
import type { SlackConnection } from '../transport/connect-slack.ts';
import { retryDelayMs } from '../transport/slack-errors.ts';
import { FILE_DELETED, findSlackFile, MISSING_FILE_SCOPE } from './find-file.ts';
import { isSlackUrl } from './slack-hosts.ts';

const TIMEOUT_MS = 60_000;
const ACTION = 'fetch an attached file';

/** Creates the source of attached files. It sends the bot’s token only to Slack’s hosts, and follows no redirect. */
export function createAttachmentSource(deps: {
  readonly connection: Pick<SlackConnection, 'client' | 'config'>;
  readonly clock: Clock;
  readonly log: Log;
}): AttachmentSource {
  const { connection, clock, log } = deps;
  const { client, config } = connection;

  async function download(
    file: Attachment,
    url: string,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<{ readonly kind: 'bytes'; readonly bytes: Uint8Array } | RejectedFile> {
    if (!isSlackUrl(url, config.apiUrl)) return rejectedFile('it is stored outside Slack.');
    const response = await get(url, config.botToken, options.signal);
    try {
      const why = explainFetchFailure(response);
      if (why !== undefined) return rejectedFile(why);
      const bytes = await readAtMost(response, options.maxBytes);
      if (bytes === undefined) {
        return rejectedFile(`it is larger than ${options.maxBytes / 1024 / 1024} MB.`);
      }
      return isSignInPage(response, file, bytes)
        ? rejectedFile(MISSING_FILE_SCOPE)
        : { kind: 'bytes', bytes };
    } finally {
      await response.body?.cancel().catch(() => {});
    }
  }

  async function fetchWithin(
    file: Attachment,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ) {
    const found = file.url === undefined ? await findSlackFile(client, file) : file;
    if ('kind' in found) return found;
    if (found.url === undefined) return rejectedFile('Slack does not let me download it.');
    return await download(found, found.url, options);
  }

  return {
    async fetch(file, { maxBytes, signal }) {
      const timeout = new AbortController();
      const cancel = clock.schedule(clock.now() + TIMEOUT_MS, () => timeout.abort());
      const stopSignal = AbortSignal.any([signal, timeout.signal]);
      try {
        const fetched = await fetchWithin(file, { maxBytes, signal: stopSignal });
        if (fetched.kind === 'refused') {
          log.warn({ file: file.id, why: fetched.why }, 'An attached file was refused.');
        }
        return fetched;
      } catch (error) {
        signal.throwIfAborted();
        throw toTemporaryError(error);
      } finally {
        cancel();
      }
    },
  };
}

function rejectedFile(why: string): RejectedFile {
  return { kind: 'refused', why };
}

function toTemporaryError(error: unknown): ChatError {
  if (error instanceof ChatError) return error;
  return new ChatError('temporary', `Could not ${ACTION}: Slack did not send all of it.`, {
    cause: error,
  });
}

async function get(url: string, token: string, signal: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, redirect: 'manual', signal });
  const { status } = response;
  if (status !== 429 && status < 500) return response;
  await response.body?.cancel();
  if (status !== 429)
    throw new ChatError('temporary', `Could not ${ACTION}: Slack had an error of its own.`);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new ChatError('rate-limited', `Could not ${ACTION}: Slack asks me to slow down.`, {
    retryAfterMs: retryDelayMs(seconds),
  });
}

function explainFetchFailure({ status }: Response): string | undefined {
  if (status === 200) return undefined;
  // Slack redirects to its sign-in page if the token may not read the file.
  if ((status >= 300 && status < 400) || status === 401 || status === 403)
    return MISSING_FILE_SCOPE;
  if (status === 404 || status === 410) return FILE_DELETED;
  return `Slack does not let me download it (status ${status}).`;
}

/** Counts the received bytes, since the size that Slack names is not trusted. */
async function readAtMost(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) break;
    size += piece.value.length;
    if (size > maxBytes) {
      await reader?.cancel();
      return undefined;
    }
    chunks.push(piece.value);
  }
  reader?.releaseLock();
  return Buffer.concat(chunks, size);
}

/** Without the scope Slack returns its sign-in page with status 200. */
function isSignInPage(response: Response, file: Attachment, bytes: Uint8Array): boolean {
  const type = response.headers.get('content-type') ?? '';
  if (!type.toLowerCase().startsWith('text/html')) return false;
  const isHtmlItself = file.mimeType === 'text/html' || file.mimeType.includes('slack-docs');
  return !isHtmlItself || (bytes.length !== file.size && Buffer.from(bytes).includes('/signin'));
}
