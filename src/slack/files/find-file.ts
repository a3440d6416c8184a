import type { WebClient } from '@slack/web-api';
import type { RejectedFile } from '../../domain/ports/file-ports.ts';
import type { Attachment } from '../../domain/threads/message.ts';
import { toAttachment } from '../inbound/parse-files.ts';
import { isPayload, type Payload } from '../transport/payload.ts';
import { slackErrorName, toChatError } from '../transport/slack-errors.ts';

/** Shown if the app may not read files. */
export const MISSING_FILE_SCOPE =
  'Slack does not let me read files. The person who runs this app has to install it again with the manifest (files:read).';
/** Shown if a file was deleted. */
export const FILE_DELETED = 'it is no longer in Slack.';

const ERRORS: Readonly<Record<string, string>> = {
  missing_scope: MISSING_FILE_SCOPE,
  file_not_found: FILE_DELETED,
  file_deleted: FILE_DELETED,
  not_visible: 'Slack does not show it to me.',
  access_denied: 'Slack does not show it to me.',
};

/** Asks Slack for a file without a URL: its URL, or why it can’t be read. Rejects with a `ChatError` for transient failures. https://docs.slack.dev/reference/methods/files.info */
export async function findSlackFile(
  client: WebClient,
  { id }: Attachment,
): Promise<Attachment | RejectedFile> {
  if (id === '') return rejectedFile('Slack does not say where it is.');
  try {
    const { file } = await client.files.info({ file: id });
    return isPayload(file) ? readInfo(file) : rejectedFile(FILE_DELETED);
  } catch (error) {
    return readError(error);
  }
}

function rejectedFile(why: string): RejectedFile {
  return { kind: 'refused', why };
}

function readInfo(file: Payload): Attachment | RejectedFile {
  const { mode } = file;
  if (mode === 'tombstone') return rejectedFile('it was deleted.');
  if (mode === 'hidden_by_limit') {
    return rejectedFile('Slack hides it, because the workspace is over the limit of its plan.');
  }
  if (mode === 'external' || file.is_external === true) {
    return rejectedFile('it is stored outside Slack. Upload the file itself.');
  }
  return toAttachment(file);
}

function readError(error: unknown): RejectedFile {
  const name = slackErrorName(error) ?? 'no reason';
  const why = ERRORS[name];
  if (why !== undefined) return rejectedFile(why);
  const failure = toChatError(error, 'fetch an attached file');
  const isTransient = failure.code === 'temporary' || failure.code === 'rate-limited';
  if (isTransient) throw failure;
  return rejectedFile(`Slack does not let me download it (${name}).`);
}
