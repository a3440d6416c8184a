import type { Json } from '../json-value.ts';

/**
 * The stateful core of Slack's Web API behind the workspace: channels, messages, reactions, files.
 * It knows no events, no limits and no tokens; the workspace adds them in front.
 */
export interface SlackBackend {
  /** Calls a method as the member with this id; a method it does not know answers `unknown_method`. */
  call(as: string, method: string, args: Json): Promise<Json>;
  /** Stores the bytes of an upload that `files.getUploadURLExternal` announced. */
  upload(fileId: string, body: Uint8Array, contentType: string): Promise<Response>;
  /** Reads the bytes of a file as the member with this id. */
  download(as: string, fileId: string, name: string): Promise<Response>;
  /** Closes what it holds open. */
  close(): Promise<void>;
}
