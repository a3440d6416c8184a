/** The whole call in a modal over Home, so that people read it before they decide. */
import type { ModalView } from '@slack/types';
import type { Desk } from '../../desk/desk.ts';
import { type CardToken, shortDigest } from '../../domain/calls/digest.ts';
import type { Person } from '../../domain/people/person.ts';
import type { DecisionKind } from '../../domain/policy/route.ts';
import type { SecretMark } from '../../domain/secrets/secret-mark.ts';
import type { Toolbox } from '../../domain/tools/tool.ts';
import { buildFullView } from '../forms/draw/full-view.ts';
import { buildMessageView } from '../forms/draw/small-views.ts';
import { outcomeSentence, outcomeSentenceUnnamed } from '../text/outcome-sentences.ts';

type CallView = Awaited<ReturnType<Desk['checkDecision']>>;

interface ReviewDeps {
  readonly desk: Pick<Desk, 'open' | 'checkDecision'>;
  readonly toolbox: Toolbox;
  /** Marks masked secrets. */
  readonly mark: SecretMark;
}

/**
 * Builds a page of a call's review. A person who may decide nothing sees only the reason, and no
 * arguments.
 */
export async function buildReviewModal(
  token: CardToken,
  by: Person,
  page: number,
  deps: ReviewDeps,
): Promise<ModalView> {
  const first = await deps.desk.open({ ...token, by });
  const opened = await readReviewCall(first, token, by, deps);
  if (opened.kind !== 'open') return buildMessageView(outcomeSentenceUnnamed(opened));
  const { call } = opened;
  // The call has changed, so start again at the first page.
  const hasChanged = shortDigest(call.digest) !== token.digest;
  const canApprove = first.kind === 'open' || call.status === 'unknown';
  const whyNot = canApprove ? undefined : outcomeSentence(first);
  return buildFullView(call, {
    page: hasChanged ? 1 : page,
    tool: deps.toolbox.of(call),
    mayApprove: whyNot === undefined,
    mark: deps.mark,
    isReview: true,
    ...(whyNot !== undefined && { note: whyNot }),
  });
}

/** A call that can't be approved may still be settled, answered or ignored. */
async function readReviewCall(
  first: CallView,
  token: CardToken,
  by: Person,
  { desk }: Pick<ReviewDeps, 'desk'>,
): Promise<CallView> {
  if (first.kind === 'already-decided' && first.call.status === 'unknown') {
    return await desk.open({ ...token, by, settles: true });
  }
  if (first.kind !== 'not-allowed') return first;
  const others: readonly DecisionKind[] = ['reply', 'ignore'];
  const other = others.find((kind) => first.call.route?.decisions.includes(kind));
  return other === undefined ? first : await desk.checkDecision({ ...token, by, kind: other });
}
