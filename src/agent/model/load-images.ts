/** Which of the images that people attached a model is shown, read anew from the workspace for each request. */
import { createHash } from 'node:crypto';
import { fileKindOf } from '../../domain/text/file-kind.ts';
import type { TurnMessage, UserImage } from '../../domain/threads/message.ts';
import { WorkspaceError } from '../tools/files/open-folder.ts';
import type { WorkspaceBytes } from '../tools/files/workspace-bytes.ts';

/** What goes with a message of a person: images, and a line for each one that is not shown. */
export interface MessageImages {
  readonly shown: readonly { readonly mimeType: string; readonly base64: string }[];
  readonly notes: readonly string[];
}

/** How images are read; without it the model can't see any. */
export type ReadImage = WorkspaceBytes['read'];

const MAX_IMAGES = 10;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** Of all images of one request: they travel as text, a third larger, and servers bound a request. */
const MAX_ALL_BYTES = 15 * 1024 * 1024;
/** About what an image takes at most in OpenAI's high detail. */
export const TOKENS_PER_IMAGE = 1_500;

/** The newest earlier turn, if the model answered in it: one that it choked on is not shown to it again. */
function lastAnsweredTurn(earlier: readonly TurnMessage[]): readonly TurnMessage[] {
  const turn = earlier.slice(
    Math.max(
      0,
      earlier.findLastIndex(({ role }) => role === 'user'),
    ),
  );
  return turn.some(({ role }) => role === 'assistant') ? turn : [];
}

/** Reads the images of the current turn and of the one before, by their messages' ids; where not all can be shown, the newest are, and they take half of the context at most. */
export async function loadImages(
  turns: { readonly earlier: readonly TurnMessage[]; readonly current: readonly TurnMessage[] },
  options: { readonly read: ReadImage | undefined; readonly contextTokens: number },
): Promise<ReadonlyMap<string, MessageImages>> {
  const { read, contextTokens } = options;
  const most = Math.min(MAX_IMAGES, Math.floor(contextTokens / 2 / TOKENS_PER_IMAGE));
  const left = { images: most, bytes: MAX_ALL_BYTES };
  const all = new Map<string, MessageImages>();
  for (const message of [...lastAnsweredTurn(turns.earlier), ...turns.current].toReversed()) {
    if (message.role !== 'user' || !message.images) continue;
    const shown: { mimeType: string; base64: string }[] = [];
    const notes: string[] = [];
    for (const image of message.images) {
      const found = await readImage(image, read, left);
      if (typeof found === 'string') notes.push(`[You are not shown ${image.path}: ${found}]`);
      else shown.push({ mimeType: image.mimeType, base64: found.toString('base64') });
    }
    all.set(message.id, { shown, notes });
  }
  return all;
}

/** Answers with the bytes, or why there are none. */
async function readImage(
  image: UserImage,
  read: ReadImage | undefined,
  left: { images: number; bytes: number },
): Promise<Buffer | string> {
  if (!read) return 'this model is not set up to see images.';
  if (left.images === 0) return 'there are too many images.';
  const bytes = await readUnchanged(image, read);
  if (typeof bytes === 'string') return bytes;
  if (bytes.length > left.bytes) return 'the images are too large together.';
  left.images -= 1;
  left.bytes -= bytes.length;
  return bytes;
}

async function readUnchanged(image: UserImage, read: ReadImage): Promise<Buffer | string> {
  try {
    const found = await read(image.path, MAX_IMAGE_BYTES);
    if (found.kind === 'nothing') return 'it is no longer there.';
    if (found.kind === 'too-large' || !isUnchanged(image, found.bytes)) {
      return 'it has been changed since the person sent it.';
    }
    return Buffer.from(found.bytes);
  } catch (error) {
    if (error instanceof WorkspaceError) return error.message;
    throw error;
  }
}

function isUnchanged({ mimeType, sha256 }: UserImage, bytes: Uint8Array): boolean {
  const kind = fileKindOf(bytes);
  if (kind.kind !== 'image' || kind.mimeType !== mimeType) return false;
  return sha256 === undefined || createHash('sha256').update(bytes).digest('hex') === sha256;
}
