/** The whole call in a form over Home: whoever decides there reads it first, as on its card. */
import type { ModalView } from '@slack/types';
import type { Desk } from '../../desk/desk.ts';
import { type CardToken, shortDigest } from '../../domain/calls/digest.ts';
import type { Person } from '../../domain/people/person.ts';
import type { DecisionKind } from '../../domain/policy/route.ts';
import { buildFullView } from '../forms/draw/full-view.ts';
import { buildMessageView } from '../forms/draw/small-views.ts';
import type { HandlerDeps } from '../interactions/handler.ts';
import { outcomeSentence, outcomeSentenceUnnamed } from '../text/outcome-sentences.ts';

type Look = Awaited<ReturnType<Desk['checkDecision']>>;

/** Builds a page of a call's review; a sentence for whoever may decide nothing on it, of whose arguments nothing is told. */
export async function buildReviewModal(
  token: CardToken,
  by: Person,
  page: number,
  deps: Pick<HandlerDeps, 'desk' | 'toolbox' | 'mark'>,
): Promise<ModalView> {
  const first = await deps.desk.open({ ...token, by });
  const look = await readReviewCall(first, token, by, deps);
  if (look.kind !== 'open') return buildMessageView(outcomeSentenceUnnamed(look));
  const { call } = look;
  // What was read on the other pages is not what they hold now.
  const isOther = shortDigest(call.digest) !== token.digest;
  const isFine = first.kind === 'open' || call.status === 'unknown';
  const whyNot = isFine ? undefined : outcomeSentence(first);
  return buildFullView(call, {
    page: isOther ? 1 : page,
    tool: deps.toolbox.of(call),
    mayApprove: whyNot === undefined,
    mark: deps.mark,
    isReview: true,
    ...(whyNot !== undefined && { note: whyNot }),
  });
}

/** Where it can't be approved, it may be settled, answered or ignored. */
async function readReviewCall(
  first: Look,
  token: CardToken,
  by: Person,
  { desk }: Pick<HandlerDeps, 'desk'>,
): Promise<Look> {
  if (first.kind === 'already-decided' && first.call.status === 'unknown') {
    return await desk.open({ ...token, by, settles: true });
  }
  if (first.kind !== 'not-allowed') return first;
  const others: readonly DecisionKind[] = ['reply', 'ignore'];
  const other = others.find((kind) => first.call.route?.decisions.includes(kind));
  return other === undefined ? first : await desk.checkDecision({ ...token, by, kind: other });
}
