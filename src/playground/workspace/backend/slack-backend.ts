import type { Json } from '../json-value.ts';

/**
 * The stateful core of Slack's Web API: channels, messages, reactions, files. It has no events,
 * limits or tokens; the workspace adds them.
 */
export interface SlackBackend {
  /** Calls a method as the member with this id. Unknown methods return `unknown_method`. */
  call(as: string, method: string, args: Json): Promise<Json>;
  /** Stores the bytes of an upload started by `files.getUploadURLExternal`. */
  upload(fileId: string, body: Uint8Array, contentType: string): Promise<Response>;
  /** Reads the bytes of a file as the member with this id. */
  download(as: string, fileId: string, name: string): Promise<Response>;
  /** Stops the backend. */
  close(): Promise<void>;
}
