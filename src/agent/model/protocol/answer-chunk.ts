import type { ProviderFields, TokenCount } from '../../../domain/threads/message.ts';

/** A piece of a streamed answer, as it came over the wire. */
export interface AnswerChunk {
  readonly text: string;
  /** The text before was no answer, but a thought. */
  readonly restarts?: true | undefined;
  readonly calls: readonly CallChunk[];
  /** Said with the last piece of a whole answer. */
  readonly finishReason: string | undefined;
  /** What the whole answer took; said once, last, by providers that tell it. */
  readonly tokens?: TokenCount | undefined;
  /** What the provider needs back with the message. */
  readonly fields?: ProviderFields | undefined;
}

/** A piece of a tool call; `args` continues the raw text of what came before under the same index. */
export interface CallChunk {
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: string | undefined;
  readonly fields?: ProviderFields | undefined;
}
