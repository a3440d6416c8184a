import type { TokenCount } from '../domain/message.ts';
import { toWhole } from '../domain/to-plain-json.ts';
import type { CallPiece, ModelPiece } from './model.ts';

/** A tool call as it came over the wire: its raw argument text, and an id that may be missing. */
export interface RawCall {
  readonly id: string;
  readonly tool: string;
  readonly args: string;
}

/** A model's answer as far as it has come. */
export interface CollectedAnswer {
  readonly text: string;
  readonly calls: readonly RawCall[];
  /** Undefined while the provider has not said that the answer is complete. */
  readonly finishReason: string | undefined;
  /** Undefined while the provider has not told. */
  readonly tokens: TokenCount | undefined;
}

interface Draft {
  readonly index: number | undefined;
  id: string;
  tool: string;
  args: string;
}

/**
 * Puts the pieces of a streamed answer together. The library's own parsed arguments are never used:
 * it completes cut-off JSON in silence.
 */
export function createAnswerCollector() {
  const drafts: Draft[] = [];
  let text = '';
  let size = 0;
  let finishReason: string | undefined;
  let tokens: TokenCount | undefined;

  /** Most servers number the calls of an answer; some give every call the same number, or none, and a new id or not even that. */
  function draftFor(piece: CallPiece, beside: ReadonlySet<Draft>): Draft {
    const known =
      piece.index === undefined
        ? drafts.at(-1)
        : drafts.findLast(({ index }) => index === piece.index);
    const startsNew = known && (beside.has(known) || isOther(piece.id, known.id));
    if (known && !startsNew && !isOther(piece.name, known.tool)) return known;
    const draft: Draft = { index: piece.index, id: '', tool: '', args: '' };
    drafts.push(draft);
    return draft;
  }

  /** What comes in one piece of an answer goes on with no call twice. */
  function addCalls(pieces: readonly CallPiece[]): void {
    const beside = new Set<Draft>();
    for (const piece of pieces) {
      const draft = draftFor(piece, beside);
      beside.add(draft);
      if (draft.id === '') draft.id = piece.id ?? '';
      if (draft.tool === '') draft.tool = piece.name ?? '';
      draft.args += piece.args ?? '';
      size += piece.args?.length ?? 0;
    }
  }

  return {
    add(piece: ModelPiece): void {
      text += piece.text;
      size += piece.text.length;
      addCalls(piece.calls);
      finishReason = piece.finishReason ?? finishReason;
      tokens = piece.tokens ?? tokens;
    },
    /** Characters of text and arguments so far. */
    size: () => size,
    answer: (): CollectedAnswer => ({
      // People are shown it, and Slack refuses half a character for ever.
      text: toWhole(text),
      calls: drafts.map(({ id, tool, args }) => ({ id, tool, args })),
      finishReason,
      tokens,
    }),
  };
}

function isOther(told: string | undefined, known: string): boolean {
  return told !== undefined && told !== '' && known !== '' && told !== known;
}
