import type { Countersign } from '../client/countersign-client.ts';

/** The client methods that the MCP tools use. */
export type ApprovalApi = Pick<
  Countersign,
  'withApproval' | 'requestApproval' | 'getApproval' | 'consume'
>;

/** The sender of a message: its API client, and a signal that aborts when it disconnects. */
export interface McpCaller {
  readonly api: ApprovalApi;
  readonly signal?: AbortSignal;
}

/** Channel and requester if the agent names none. (Default: those of the key.) */
export interface RequestDefaults {
  readonly channel?: string;
  readonly requester?: string;
}
