import type { DecisionOutcome } from '../../domain/decision.ts';
import { placeOf } from '../../domain/thread-key.ts';
import type { Submission } from '../check-click.ts';
import { toFormErrors } from '../forms/form-errors.ts';
import { parseEditForm } from '../forms/parse-edit-form.ts';
import { REPLY_BLOCK, readReply } from '../forms/reply-form.ts';
import { buildMessageView } from '../forms/small-views.ts';
import { SENTENCES, toSentence } from '../sentences.ts';
import type { Acknowledge, FormHandler, HandlerDeps } from './handler.ts';

/** Takes the changed arguments; what is wrong appears on its field, and the form stays as typed. */
export const submitEdit: FormHandler = async (form, ack, deps) => {
  const { desk, toolbox } = deps;
  const by = form.origin.person;
  const look = await desk.look({ ...form.token, by, kind: 'edit' });
  if (look.kind !== 'open') return ack(refusal(look));
  const tool = toolbox.get(look.call.tool);
  if (tool === undefined) return ack(refusal({ kind: 'not-found' }));
  const parsed = parseEditForm(look.call, tool, form.values);
  if (!parsed.ok) return ack({ response_action: 'errors', errors: parsed.errors });
  const outcome = await desk.decide({
    ...form.token,
    by,
    decision: { kind: 'edit', args: parsed.args },
  });
  if (outcome.kind === 'invalid') {
    const errors = toFormErrors(outcome.problems, parsed.fields);
    return ack(
      Object.keys(errors).length === 0 ? refusal(outcome) : { response_action: 'errors', errors },
    );
  }
  await answerForm(form, outcome, ack, deps);
};

/** Takes a person's answer to the agent. */
export const submitReply: FormHandler = async (form, ack, deps) => {
  const text = readReply(form.values);
  if (text === undefined) {
    const errors = { [REPLY_BLOCK]: SENTENCES.emptyReply };
    return ack({ response_action: 'errors', errors });
  }
  const by = form.origin.person;
  const outcome = await deps.desk.decide({ ...form.token, by, decision: { kind: 'reply', text } });
  await answerForm(form, outcome, ack, deps);
};

function refusal(outcome: DecisionOutcome) {
  return { response_action: 'update', view: buildMessageView(toSentence(outcome)) } as const;
}

async function answerForm(
  form: Submission,
  outcome: DecisionOutcome,
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  if (outcome.kind !== 'decided' && outcome.kind !== 'recorded') return ack(refusal(outcome));
  await ack();
  const { channel, root } = placeOf(outcome.call.thread);
  const text = toSentence(outcome);
  await deps.teller.tell({ user: form.origin.person.user, channel, root, text });
}
