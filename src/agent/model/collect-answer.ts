import { toWellFormed } from '../../domain/json/to-plain-json.ts';
import type { ProviderFields, TokenCount } from '../../domain/threads/message.ts';
import type { AnswerChunk, CallChunk } from './protocol/answer-chunk.ts';
import { mergeDeltas } from './protocol/merge-deltas.ts';

/** A tool call as received: raw argument text, and an id that may be empty. */
export interface RawCall {
  readonly id: string;
  readonly tool: string;
  readonly args: string;
  /** Provider fields that must be sent back with the call. */
  readonly fields?: ProviderFields | undefined;
}

/** A model's answer as received so far. */
export interface CollectedAnswer {
  readonly text: string;
  readonly calls: readonly RawCall[];
  /** Undefined until the provider reports the end of the answer. */
  readonly finishReason: string | undefined;
  /** Undefined until the provider reports them. */
  readonly tokens: TokenCount | undefined;
  /** Provider fields that must be sent back with the message. */
  readonly fields: ProviderFields | undefined;
}

interface Draft {
  readonly index: number | undefined;
  id: string;
  tool: string;
  args: string;
  fields: ProviderFields | undefined;
}

/** Assembles streamed calls, however the server numbers their pieces. */
export function createCallAssembler() {
  const drafts: Draft[] = [];

  /**
   * Most servers number the calls of an answer. Some repeat or omit the number, and may omit the id
   * too.
   */
  function draftFor(piece: CallChunk, extended: ReadonlySet<Draft>): Draft {
    const known =
      piece.index === undefined
        ? drafts.at(-1)
        : drafts.findLast(({ index }) => index === piece.index);
    if (known && !extended.has(known) && !startsNewCall(piece, known)) return known;
    const draft: Draft = { index: piece.index, id: '', tool: '', args: '', fields: undefined };
    drafts.push(draft);
    return draft;
  }

  return {
    /** Adds the calls of one chunk. Each of them extends a different call. */
    add(pieces: readonly CallChunk[]): void {
      const extended = new Set<Draft>();
      for (const piece of pieces) {
        const draft = draftFor(piece, extended);
        extended.add(draft);
        extend(draft, piece);
      }
    },
    calls: (): readonly RawCall[] =>
      drafts.map(({ id, tool, args, fields }) => ({ id, tool, args, ...(fields && { fields }) })),
  };
}

function extend(draft: Draft, { id = '', name = '', args = '', fields }: CallChunk): void {
  draft.id ||= id;
  draft.tool ||= name;
  draft.args += args;
  if (fields) draft.fields = mergeDeltas(draft.fields ?? {}, fields);
}

/** A piece that names a tool starts a new call if the known call's arguments are complete. */
function startsNewCall({ id, name, args }: CallChunk, known: Draft): boolean {
  if (isOther(id, known.id) || isOther(name, known.tool)) return true;
  if (id !== undefined && id !== '') return false;
  return Boolean(name) && Boolean(args) && known.args.endsWith('}') && isJson(known.args);
}

/** Returns whether the whole text is valid JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Assembles a streamed answer. Never uses the library's parsed arguments: it silently completes
 * truncated JSON.
 */
export function createAnswerCollector() {
  const assembler = createCallAssembler();
  let text = '';
  let size = 0;
  let finishReason: string | undefined;
  let tokens: TokenCount | undefined;
  let fields: ProviderFields | undefined;

  return {
    add(piece: AnswerChunk): void {
      if (piece.restarts) text = '';
      text += piece.text;
      size += sizeOf(piece);
      assembler.add(piece.calls);
      if (piece.fields) fields = mergeDeltas(fields ?? {}, piece.fields);
      finishReason = piece.finishReason ?? finishReason;
      tokens = piece.tokens ?? tokens;
    },
    /** Characters of text, arguments and provider fields so far. */
    size: () => size,
    answer: (): CollectedAnswer => ({
      // Slack permanently refuses text with unpaired surrogates.
      text: toWellFormed(text),
      calls: assembler.calls(),
      finishReason,
      tokens,
      fields,
    }),
  };
}

function sizeOf({ text, calls, fields }: AnswerChunk): number {
  const sizes = calls.map((call) => (call.args?.length ?? 0) + fieldsSize(call.fields));
  return sizes.reduce((sum, each) => sum + each, text.length + fieldsSize(fields));
}

function fieldsSize(fields: ProviderFields | undefined): number {
  return fields ? JSON.stringify(fields).length : 0;
}

function isOther(received: string | undefined, known: string): boolean {
  return received !== undefined && received !== '' && known !== '' && received !== known;
}
