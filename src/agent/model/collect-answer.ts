import { toWellFormed } from '../../domain/json/to-plain-json.ts';
import type { ProviderFields, TokenCount } from '../../domain/threads/message.ts';
import type { AnswerChunk, CallChunk } from './protocol/answer-chunk.ts';
import { mergeDeltas } from './protocol/merge-deltas.ts';

/** A tool call as it came over the wire: its raw argument text, and an id that may be missing. */
export interface RawCall {
  readonly id: string;
  readonly tool: string;
  readonly args: string;
  /** What the provider needs back with it. */
  readonly fields?: ProviderFields | undefined;
}

/** A model's answer as far as it has come. */
export interface CollectedAnswer {
  readonly text: string;
  readonly calls: readonly RawCall[];
  /** Undefined while the provider has not said that the answer is complete. */
  readonly finishReason: string | undefined;
  /** Undefined while the provider has not told. */
  readonly tokens: TokenCount | undefined;
  /** What the provider needs back with the message. */
  readonly fields: ProviderFields | undefined;
}

interface Draft {
  readonly index: number | undefined;
  id: string;
  tool: string;
  args: string;
  fields: ProviderFields | undefined;
}

/** Puts the pieces of calls together, whatever a server numbers them by. */
export function createCallAssembler() {
  const drafts: Draft[] = [];

  /** Most servers number the calls of an answer; some give every call the same number, or none, and a new id or not even that. */
  function draftFor(piece: CallChunk, beside: ReadonlySet<Draft>): Draft {
    const known =
      piece.index === undefined
        ? drafts.at(-1)
        : drafts.findLast(({ index }) => index === piece.index);
    if (known && !beside.has(known) && !startsNewCall(piece, known)) return known;
    const draft: Draft = { index: piece.index, id: '', tool: '', args: '', fields: undefined };
    drafts.push(draft);
    return draft;
  }

  return {
    /** What comes in one piece of an answer goes on with no call twice. */
    add(pieces: readonly CallChunk[]): void {
      const beside = new Set<Draft>();
      for (const piece of pieces) {
        const draft = draftFor(piece, beside);
        beside.add(draft);
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

/** Whole arguments are followed by no more of them: what names a tool again begins a call. */
function startsNewCall({ id, name, args }: CallChunk, known: Draft): boolean {
  if (isOther(id, known.id) || isOther(name, known.tool)) return true;
  if (id !== undefined && id !== '') return false;
  return Boolean(name) && Boolean(args) && known.args.endsWith('}') && isJson(known.args);
}

/** Tells whether the text is JSON from its beginning to its end. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Puts the pieces of a streamed answer together. The library's own parsed arguments are never used:
 * it completes cut-off JSON in silence.
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
    /** Characters of text, arguments and the provider's fields so far. */
    size: () => size,
    answer: (): CollectedAnswer => ({
      // People are shown it, and Slack refuses half a character for ever.
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

function isOther(told: string | undefined, known: string): boolean {
  return told !== undefined && told !== '' && known !== '' && told !== known;
}
