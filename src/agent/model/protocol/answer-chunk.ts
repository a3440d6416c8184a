import type { ProviderFields, TokenCount } from '../../../domain/threads/message.ts';

/** A piece of a streamed answer, as received. */
export interface AnswerChunk {
  readonly text: string;
  /** Discard the earlier text: it was the model's reasoning. */
  readonly restarts?: true | undefined;
  readonly calls: readonly CallChunk[];
  /** Set on the last piece of a complete answer. */
  readonly finishReason: string | undefined;
  /** Token count of the whole answer, sent once at the end by providers that report it. */
  readonly tokens?: TokenCount | undefined;
  /** Provider fields that must be sent back with the message. */
  readonly fields?: ProviderFields | undefined;
}

/** A piece of a tool call. `args` continues the raw argument text of the same index. */
export interface CallChunk {
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: string | undefined;
  readonly fields?: ProviderFields | undefined;
}
