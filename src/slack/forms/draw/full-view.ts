import type { Button, KnownBlock, ModalView } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import { maskingOfCall } from '../../../domain/calls/call-secrets.ts';
import { encodeCardToken } from '../../../domain/calls/digest.ts';
import type { SecretMark } from '../../../domain/secrets/secret-mark.ts';
import { buildOriginBlocks, quoteAgentText, renderCallValues } from '../../cards/call-card.ts';
import { buildReasons } from '../../cards/sections/approvals.ts';
import {
  buildApproveButton,
  buildDecisionButtons,
  buildSettlementButtons,
  type MakeButton,
} from '../../cards/sections/buttons.ts';
import { buildHeading, buildNote, listTitleOf } from '../../cards/sections/heading.ts';
import { buildCardNote } from '../../cards/sections/note.ts';
import { buildWarnings } from '../../cards/sections/warnings.ts';
import { buildStatus } from '../../cards/settled-card.ts';
import { formatCount, safeCutIndex, sumHiddenCharacters } from '../../cards/values/fit-values.ts';
import { outcomeValues } from '../../cards/values/outcome-value.ts';
import type { ArgumentsContext, ShownArgument } from '../../cards/values/render-arguments.ts';
import { buildQuote, buildValueBlock } from '../../cards/values/rich-text-blocks.ts';
import { buildNotice } from '../../outbound/build-messages.ts';
import { BUDGET } from '../../text/limits.ts';
import { ACTIONS, REVIEW, VIEWS } from '../../transport/ids.ts';

/**
 * Builds one page of the whole call. The last page has Approve; in a review, also the other
 * decisions.
 */
export function buildFullView(
  call: Call,
  show: {
    /** From 1. Other numbers select the nearest page. */
    readonly page: number;
    readonly tool: ArgumentsContext | undefined;
    readonly mayApprove: boolean;
    readonly mark: SecretMark;
    /** Why it can't be approved here, as our own text. */
    readonly note?: string;
    /** Whether it replaces the card: with the heading and every decision. */
    readonly isReview?: boolean;
  },
): ModalView {
  // Only people who may decide see values that are masked until the call is opened.
  const reveals = show.mayApprove;
  const masking = maskingOfCall(call, show.tool, { mark: show.mark, reveals });
  const pieces = renderCallValues(call, show.tool, masking);
  const pages = toPages([...pieces, ...outcomeValues(call, masking)]);
  const page = Math.min(Math.max(1, show.page), pages.length);
  const isLast = page === pages.length;
  const { isReview = false } = show;
  const words = quoteAgentText(call, masking);
  const facts = [
    ...(isReview ? [buildHeading(call, masking)] : []),
    ...buildStatus(call),
    ...buildNote(call, masking),
    ...buildOriginBlocks(call, masking),
  ];
  const warnings = buildWarnings(sumHiddenCharacters([...pieces, ...words]), { reveals });
  const where = `page ${page} of ${pages.length}`;
  const intro = `${listTitleOf(call)} · version ${call.attempt} · ${where}`;
  const showsIntro = !isReview || pages.length > 1;
  const last = [...words.map(buildQuote), ...buildReasons(call, masking)];
  const blocks: KnownBlock[] = [
    ...(showsIntro ? [context(intro)] : []),
    ...(show.note === undefined ? [] : buildNotice(show.note).blocks),
    ...(page === 1 ? [...facts, ...warnings] : []),
    ...buildValueBlock(pages[page - 1] ?? []),
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

/** Packs values into pages. A value too long for one block is split into numbered parts. */
function toPages(pieces: readonly ShownArgument[]): readonly (readonly ShownArgument[])[] {
  const pages: ShownArgument[][] = [[]];
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

function toParts(piece: ShownArgument): readonly ShownArgument[] {
  const { text, label } = piece;
  if (text.length <= BUDGET.pagePiece) return [piece];
  const parts: ShownArgument[] = [];
  for (let from = 0; from < text.length; ) {
    const rest = text.slice(from, from + BUDGET.pagePiece);
    const cut = from + rest.length < text.length ? safeCutIndex(rest, rest.length) : rest.length;
    const range = `characters ${formatCount(from + 1)}–${formatCount(from + cut)} of ${formatCount(text.length)}`;
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
    readonly tool: ArgumentsContext | undefined;
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
  const paging: Button[] = [
    ...(at.page > 1 ? [button(ACTIONS.pageBack, 'Back', String(at.page - 1))] : []),
    ...(at.last ? [] : [button(ACTIONS.page, 'Next Page', String(at.page + 1))]),
  ];
  const token = encodeCardToken(call);
  const makeButton: MakeButton = (actionId, text, more = {}) => ({
    ...button(actionId, text, token),
    ...more,
  });
  const mayApprove = at.last && at.mayApprove;
  if (!at.isReview) {
    const isOpen = mayApprove && call.status === 'pending' && behaviourOf(call).asksFor !== 'form';
    const allows = call.route?.decisions.includes('approve') ?? false;
    return [...paging, ...(isOpen && allows ? [buildApproveButton(call, makeButton)] : [])];
  }
  if (call.status === 'unknown')
    return [...paging, ...(mayApprove ? buildSettlementButtons(makeButton) : [])];
  const facts = { whole: mayApprove, editable: at.tool !== undefined };
  return [...paging, ...buildDecisionButtons(call, facts, makeButton)];
}
