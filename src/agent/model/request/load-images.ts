/**
 * Chooses which attached images a model sees. They are read from the workspace for each request.
 */
import { createHash } from 'node:crypto';
import { fileKindOf } from '../../../domain/text/file-kind.ts';
import type { TurnMessage, UserImage } from '../../../domain/threads/message.ts';
import { WorkspaceError } from '../../tools/files/open-folder.ts';
import type { WorkspaceBytes } from '../../tools/files/workspace-bytes.ts';

/** The images of a person's message, and a note for each image that is not shown. */
export interface MessageImages {
  readonly shown: readonly { readonly mimeType: string; readonly base64: string }[];
  readonly notes: readonly string[];
}

/** Reads an image's bytes. Without it the model sees no images. */
export type ReadImage = WorkspaceBytes['read'];

const MAX_IMAGES = 10;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** For all images of one request: base64 adds a third, and servers limit the request size. */
const MAX_ALL_BYTES = 15 * 1024 * 1024;
/** Roughly the maximum for an image in OpenAI's high detail. */
export const TOKENS_PER_IMAGE = 1_500;

/**
 * Returns the last earlier turn if the model answered it: an image may have made the request fail.
 */
function lastAnsweredTurn(earlier: readonly TurnMessage[]): readonly TurnMessage[] {
  const turn = earlier.slice(
    Math.max(
      0,
      earlier.findLastIndex(({ role }) => role === 'user'),
    ),
  );
  return turn.some(({ role }) => role === 'assistant') ? turn : [];
}

/**
 * Reads the images of the current and the previous turn, keyed by message id. The newest are
 * preferred, and together they use at most half of the context.
 */
export async function loadImages(
  turns: { readonly earlier: readonly TurnMessage[]; readonly current: readonly TurnMessage[] },
  options: { readonly read: ReadImage | undefined; readonly contextTokens: number },
): Promise<ReadonlyMap<string, MessageImages>> {
  const { read, contextTokens } = options;
  const maxImages = Math.min(MAX_IMAGES, Math.floor(contextTokens / 2 / TOKENS_PER_IMAGE));
  const left = { images: maxImages, bytes: MAX_ALL_BYTES };
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

/** Returns the bytes, or the reason why the image is not shown. */
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
      return 'it has changed since the person sent it.';
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
