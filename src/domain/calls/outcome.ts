import type { JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';
import { type CallEdit, describeCallEdit } from './call-edit.ts';

/** Why a call was withdrawn without a decision. */
export type WithdrawalCause =
  | 'new-message'
  | 'ignored-sibling'
  | 'stop'
  | 'turn-ended'
  /** By the program that made the call. */
  | 'cancelled';

/** What the agent is told about a call. */
export type Outcome =
  | { readonly kind: 'result'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'reply'; readonly text: string; readonly by: Person }
  | { readonly kind: 'ignored'; readonly by: Person }
  | { readonly kind: 'expired' }
  | { readonly kind: 'withdrawn'; readonly cause: WithdrawalCause }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** An outcome as the graph receives it: the text of the call's only tool message. */
export interface ToolReply {
  readonly v: 1;
  readonly text: string;
  readonly status: 'ok' | 'error';
  /** The model is not called again until the next message. */
  readonly endsTurn: boolean;
  /** For a graph that runs its own tools. Absent if nobody decided; `text` then says why. */
  readonly decision?: ForeignDecision;
}

/** A decision, for a graph that runs its own tools. */
export type ForeignDecision =
  | { readonly kind: 'approve' }
  | { readonly kind: 'edit'; readonly args: JsonValue }
  | { readonly kind: 'reply'; readonly text: string }
  | { readonly kind: 'ignore' };

const WITHDRAWN: Record<WithdrawalCause, { text: string; endsTurn: boolean }> = {
  'new-message': {
    text: 'Not run: withdrawn by the requester, who wrote a new message instead.',
    endsTurn: true,
  },
  'ignored-sibling': {
    text: 'Not run: withdrawn, because a person ignored another call of the same message.',
    endsTurn: true,
  },
  stop: { text: 'Not run: a person stopped the work.', endsTurn: true },
  'turn-ended': { text: 'Not run: the turn had ended.', endsTurn: true },
  cancelled: { text: 'Not run: the program that asked for it cancelled it.', endsTurn: true },
};

/** An approval, with an optional reason. */
interface ReasonedVote {
  readonly by: Person;
  readonly reason?: string;
}

/** Turns an outcome into the model's tool message, with the edit and the approvers' reasons. */
export function toToolReply(
  outcome: Outcome,
  edit?: CallEdit,
  votes: readonly ReasonedVote[] = [],
): ToolReply {
  const before = [
    ...(edit === undefined ? [] : [describeCallEdit(edit)]),
    ...votes.flatMap(describeReason),
  ];
  const prefix = before.map((line) => `${line}\n`).join('');
  switch (outcome.kind) {
    case 'result':
      return reply(`${prefix}${outcome.text}`, 'ok');
    case 'error':
      return reply(`${prefix}${outcome.text}`, 'error');
    case 'reply':
      return reply(`Not run. A person answered instead of approving: ${outcome.text}`, 'ok');
    case 'ignored':
      return reply(
        'Not run: a person ignored this call. Do not try it again unless asked.',
        'error',
        true,
      );
    case 'expired':
      return reply(
        'Not run: nobody decided in time. This is not a denial. Do not work around it; say that it is still undecided.',
        'error',
      );
    case 'withdrawn': {
      const { text, endsTurn } = WITHDRAWN[outcome.cause];
      return reply(text, 'error', endsTurn);
    }
    case 'refused':
      return reply(`Not run: refused. ${outcome.reason}`, 'error');
    case 'unknown':
      return reply(
        `It is not known whether this ran: ${outcome.reason} Do not run it again unless asked; people have been told.`,
        'error',
      );
  }
}

function describeReason({ by, reason }: ReasonedVote): readonly string[] {
  return reason === undefined ? [] : [`Approved by ${by.user}: ${reason.replaceAll(/\s+/g, ' ')}`];
}

function reply(text: string, status: ToolReply['status'], endsTurn = false): ToolReply {
  return { v: 1, text, status, endsTurn };
}
