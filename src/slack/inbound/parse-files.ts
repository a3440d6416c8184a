import type { Attachment } from '../../domain/threads/message.ts';
import { listAt, type Payload, textAt } from '../transport/payload.ts';

/** Above Slack’s limit of files per message. */
const MAX_FILES = 20;

/**
 * Returns the files of an event and of the messages it forwards, without downloading them. A file
 * that can’t be downloaded directly has no `url`; `files.info` returns the reason.
 */
export function parseFiles(event: Payload): readonly Attachment[] {
  const forwarded = listAt(event, 'attachments').flatMap((each) => listAt(each, 'files'));
  return [...listAt(event, 'files'), ...forwarded].slice(0, MAX_FILES).map(toAttachment);
}

/** Converts one file object. https://docs.slack.dev/reference/objects/file-object */
export function toAttachment(file: Payload): Attachment {
  const { size } = file;
  const url = addressOf(file);
  return {
    id: textAt(file, 'id') ?? '',
    name: textAt(file, 'name') ?? textAt(file, 'title') ?? '',
    mimeType: textAt(file, 'mimetype') ?? '',
    size: typeof size === 'number' && size >= 0 ? size : 0,
    ...(url !== undefined && { url }),
  };
}

function addressOf(file: Payload): string | undefined {
  const isElsewhere = file.is_external === true || file.mode === 'external';
  const isWithheld = file.file_access !== undefined && file.file_access !== 'visible';
  if (isElsewhere || isWithheld) return undefined;
  return textAt(file, 'url_private_download') ?? textAt(file, 'url_private');
}
