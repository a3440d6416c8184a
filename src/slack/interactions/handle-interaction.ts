/** Handles a parsed click or form: looks up its row, checks, runs it, and tells the person about failures. */
import { DamagedRecordError } from '../../domain/audit/damaged-record.ts';
import { StoreUnavailableError } from '../../domain/ports/store.ts';
import { buildMessageView } from '../forms/draw/small-views.ts';
import {
  type Interaction,
  isFromCurrentCard,
  type RejectedInteraction,
} from '../inbound/interaction.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import { type Acknowledge, answerPerson, type FormAnswer, type HandlerDeps } from './handler.ts';
import { type Checked, isFor, type Row, rowOf } from './interaction-table.ts';
import { outdatedCardProblem, rejectInteraction } from './reject-interaction.ts';

type SlackAck = (answer?: FormAnswer) => Promise<void>;

/** Handles a click or form, also one that the parser refused. Never rejects because of a handler. */
export async function handleInteraction(
  parsed: Interaction | RejectedInteraction,
  ack: SlackAck,
  deps: HandlerDeps,
): Promise<void> {
  const row = rowOf(parsed.kind === 'refused' ? parsed.subject : parsed.id);
  await guard(parsed, ack, deps, async (acknowledge) => {
    if (parsed.kind === 'refused') return await rejectInteraction(parsed, acknowledge, deps);
    if (row === undefined) throw new Error(`No row for the known element ${parsed.id}.`);
    await checkAndRun(row, parsed, acknowledge, deps);
  });
  // The person sees the effect on Home at once. Clicks on Home refresh it themselves.
  if (row?.check !== 'home') await deps.home.refresh(parsed.origin.person);
}

async function checkAndRun<Name extends keyof Checked>(
  { check, run }: Row<Name>,
  interaction: Interaction,
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  if (!isFor(check, interaction)) throw new Error(`The row of ${interaction.id} is for others.`);
  const problem = await findProblem(check, interaction, deps);
  if (problem !== undefined) return await rejectInteraction(problem, ack, deps);
  await run(interaction, ack, deps);
}

/** Checks where a click on a call came from, as its row says. */
async function findProblem(
  check: keyof Checked,
  interaction: Interaction,
  { cardOf }: HandlerDeps,
): Promise<RejectedInteraction | undefined> {
  const isChecked = check === 'card' || check === 'own';
  // In a form, Slack has no message to check.
  if (!isChecked || interaction.kind !== 'click' || interaction.place === undefined) return;
  const card = check === 'own' ? undefined : await cardOf(interaction.token.callId);
  return isFromCurrentCard(interaction, card) ? undefined : outdatedCardProblem(interaction);
}

/**
 * Logs a failure, never what was typed. Handlers save before they acknowledge, so a later failure
 * loses nothing. Before it, the person is told that nothing was saved.
 */
async function guard(
  { origin }: Pick<Interaction, 'origin'>,
  ack: SlackAck,
  deps: HandlerDeps,
  work: (ack: Acknowledge) => Promise<void>,
): Promise<void> {
  let isAcknowledged = false;
  const acknowledge: Acknowledge = async (answer) => {
    isAcknowledged = true;
    // A broken connection loses the answer, not the decision, so the work continues.
    await ack(answer).catch((error: unknown) => {
      deps.log.warn({ err: error }, 'Could not acknowledge a click to Slack.');
    });
  };
  try {
    await work(acknowledge);
  } catch (error) {
    const { person } = origin;
    deps.log.error(
      { err: error, person, isAcknowledged },
      'A click could not be handled completely.',
    );
    if (isAcknowledged) return;
    // Without `viewId` the sentence goes to the thread, and the form keeps what was typed.
    const elsewhere = { ...origin, viewId: undefined };
    const sentence = describeFailure(error);
    await answerPerson(elsewhere, sentence, deps, buildMessageView).catch((second: unknown) =>
      deps.log.error({ err: second, person }, 'Could not tell a person that their click failed.'),
    );
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof DamagedRecordError) return SENTENCES.damaged;
  const isInDoubt = error instanceof StoreUnavailableError && error.fate === 'unknown';
  return isInDoubt ? SENTENCES.perhapsSaved : SENTENCES.notSaved;
}
