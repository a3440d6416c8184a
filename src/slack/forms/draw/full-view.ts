import type { Button, KnownBlock, ModalView } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import { isElicitation } from '../../../domain/calls/call-origin.ts';
import { encodeCardToken } from '../../../domain/calls/digest.ts';
import { maskingOfCall } from '../../../domain/secrets/call-secrets.ts';
import type { SecretMark } from '../../../domain/secrets/secret-mark.ts';
import { quoteWords, renderCall, sayBefore } from '../../cards/call-card.ts';
import { buildReasons } from '../../cards/sections/approvals.ts';
import {
  type MakeButton,
  makeApprove,
  makeDecisions,
  makeSettlements,
} from '../../cards/sections/buttons.ts';
import { buildHeading, buildNote, titleOf } from '../../cards/sections/heading.ts';
import { buildCardNote } from '../../cards/sections/note.ts';
import { buildWarnings } from '../../cards/sections/warnings.ts';
import { buildStanding } from '../../cards/settled-card.ts';
import { count, cutBefore, sumPieces } from '../../cards/values/fit-values.ts';
import { outcomePieces } from '../../cards/values/outcome-value.ts';
import type { ArgsLook, DataPiece } from '../../cards/values/render-arguments.ts';
import { buildPieces, buildQuote } from '../../cards/values/rich-text-blocks.ts';
import { buildNotice } from '../../outbound/build-messages.ts';
import { BUDGET } from '../../text/limits.ts';
import { ACTIONS, REVIEW, VIEWS } from '../../transport/ids.ts';

/** Builds one page of the whole call; the last one carries Approve, and in a review whatever else can be decided. */
export function buildFullView(
  call: Call,
  show: {
    /** From 1; a page that is not there becomes the nearest. */
    readonly page: number;
    readonly tool: ArgsLook | undefined;
    readonly mayApprove: boolean;
    readonly mark: SecretMark;
    /** Why it can't be approved here, in our words. */
    readonly note?: string;
    /** Whether it stands in place of the card: with our facts, the agent's words and every decision. */
    readonly isReview?: boolean;
  },
): ModalView {
  // Only people who may decide see what is masked until the call is opened.
  const reveals = show.mayApprove;
  const masking = maskingOfCall(call, show.tool, { mark: show.mark, reveals });
  const pieces = renderCall(call, show.tool, masking);
  const pages = toPages([...pieces, ...outcomePieces(call, masking)]);
  const page = Math.min(Math.max(1, show.page), pages.length);
  const isLast = page === pages.length;
  const { isReview = false } = show;
  const words = quoteWords(call, masking);
  const facts = [
    ...(isReview ? [buildHeading(call, masking)] : []),
    ...buildStanding(call),
    ...buildNote(call, masking),
    ...sayBefore(call, masking),
  ];
  const warnings = buildWarnings(sumPieces([...pieces, ...words]), { reveals });
  const where = `page ${page} of ${pages.length}`;
  const intro = `${titleOf(call)} · attempt ${call.attempt} · ${where}`;
  const isSaid = !isReview || pages.length > 1;
  const last = [...words.map(buildQuote), ...buildReasons(call, masking)];
  const blocks: KnownBlock[] = [
    ...(isSaid ? [context(intro)] : []),
    ...(show.note === undefined ? [] : buildNotice(show.note).blocks),
    ...(page === 1 ? [...facts, ...warnings] : []),
    ...buildPieces(pages[page - 1] ?? []),
    ...(isLast ? [...last, buildCardNote(call, masking)] : []),
  ];
  const buttons = buttonsOf(call, { ...show, isReview, page, last: isLast });
  if (buttons.length > 0) blocks.push({ type: 'actions', elements: buttons });
  return {
    type: 'modal',
    callback_id: VIEWS.full,
    private_metadata: `${encodeCardToken(call)}${isReview ? ` ${REVIEW}` : ''}`,
    title: { type: 'plain_text', text: isReview ? 'Review' : 'Details' },
    close: { type: 'plain_text', text: 'Close' },
    blocks,
  };
}

function context(text: string): KnownBlock {
  return { type: 'context', elements: [{ type: 'plain_text', text, emoji: false }] };
}

/** Packs pieces into pages; a piece too long for one block goes on in the next, numbered. */
function toPages(pieces: readonly DataPiece[]): readonly (readonly DataPiece[])[] {
  const pages: DataPiece[][] = [[]];
  let left: number = BUDGET.pageCharacters;
  for (const part of pieces.flatMap(toParts)) {
    const length = part.label.length + (part.name ?? '').length + part.text.length;
    const current = pages.at(-1) ?? [];
    if (current.length > 0 && (length > left || current.length === BUDGET.pagePieces)) {
      pages.push([part]);
      left = BUDGET.pageCharacters - length;
    } else {
      current.push(part);
      left -= length;
    }
  }
  return pages;
}

function toParts(piece: DataPiece): readonly DataPiece[] {
  const { text, label } = piece;
  if (text.length <= BUDGET.pagePiece) return [piece];
  const parts: DataPiece[] = [];
  for (let from = 0; from < text.length; ) {
    const rest = text.slice(from, from + BUDGET.pagePiece);
    const cut = from + rest.length < text.length ? cutBefore(rest, rest.length) : rest.length;
    const range = `characters ${count(from + 1)}–${count(from + cut)} of ${count(text.length)}`;
    parts.push({
      ...piece,
      label: label === '' ? range : `${label} · ${range}`,
      text: rest.slice(0, cut),
    });
    from += cut;
  }
  return parts;
}

function buttonsOf(
  call: Call,
  at: {
    readonly page: number;
    readonly last: boolean;
    readonly tool: ArgsLook | undefined;
    readonly mayApprove: boolean;
    readonly isReview: boolean;
  },
): Button[] {
  const button = (actionId: string, text: string, value: string): Button => ({
    type: 'button',
    action_id: actionId,
    text: { type: 'plain_text', text, emoji: false },
    value,
  });
  const turns: Button[] = [
    ...(at.page > 1 ? [button(ACTIONS.pageBack, 'Back', String(at.page - 1))] : []),
    ...(at.last ? [] : [button(ACTIONS.page, 'Next page', String(at.page + 1))]),
  ];
  const token = encodeCardToken(call);
  const make: MakeButton = (actionId, text, more = {}) => ({
    ...button(actionId, text, token),
    ...more,
  });
  const mayApprove = at.last && at.mayApprove;
  if (!at.isReview) {
    const isOpen = mayApprove && call.status === 'pending' && !isElicitation(call);
    const allows = call.route?.decisions.includes('approve') ?? false;
    return [...turns, ...(isOpen && allows ? [makeApprove(call, make)] : [])];
  }
  if (call.status === 'unknown') return [...turns, ...(mayApprove ? makeSettlements(make) : [])];
  const facts = { whole: mayApprove, editable: at.tool !== undefined };
  return [...turns, ...makeDecisions(call, facts, make)];
}
