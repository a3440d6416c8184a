import type { Countersign } from '../client/countersign-client.ts';

/** What the tools need of the desk's client. */
export type ApprovalApi = Pick<
  Countersign,
  'withApproval' | 'requestApproval' | 'getApproval' | 'consume'
>;

/** Who asks with a message: the client that carries its key, and a signal that ends when nobody can hear the answer. */
export interface McpCaller {
  readonly api: ApprovalApi;
  readonly signal?: AbortSignal;
}

/** Where and for whom it is asked when the agent does not say. (Default: as the key says.) */
export interface RequestDefaults {
  readonly channel?: string;
  readonly requester?: string;
}
