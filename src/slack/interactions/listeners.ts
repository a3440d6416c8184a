/** The handlers of every button, form and command of the app. */
import type { App } from '@slack/bolt';
import { DamagedRecordError } from '../../domain/audit/damaged-record.ts';
import { StoreUnavailableError } from '../../domain/ports/store.ts';
import { buildMessageView } from '../forms/draw/small-views.ts';
import { answerHomeClick, showOpenedHome } from '../home/home-handlers.ts';
import {
  type Click,
  explainForeignPayload,
  isFromCurrentCard,
  originOf,
  parseClick,
  parseSubmission,
  type RejectedInteraction,
} from '../inbound/parse-click.ts';
import { HOME_ACTIONS, parseHomeClick } from '../inbound/parse-home-click.ts';
import { actionIdOf, parseTurnClick } from '../inbound/parse-turn-click.ts';
import { unknownElement } from '../inbound/validate-payload.ts';
import {
  isRouteForm,
  isRouteQuestion,
  submitRoute,
  suggestGroups,
} from '../routes/form/submit-route.ts';
import { handleRouteClick, isRouteAction } from '../routes/route-clicks.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import { ACTIONS, CHOICE_BUTTONS, chooseAction, VIEWS } from '../transport/ids.ts';
import { isPayload, objectAt } from '../transport/payload.ts';
import { answerCommand } from './answer-command.ts';
import { approveAll } from './approve-all-click.ts';
import { askAgain } from './ask-again-click.ts';
import { approve, choose, createSettleHandler, ignore } from './decide-click.ts';
import { addEntry, backInForm, chooseKind, removeEntry, toggleGroup } from './forms/change-form.ts';
import { edit, open, reply, review, turnPage } from './forms/open-form.ts';
import { submitEdit, submitReason, submitReply } from './forms/submit-form.ts';
import { answerChoicesQuery } from './forms/suggest-choices.ts';
import { handleGroupChanged } from './group-changed.ts';
import {
  type Acknowledge,
  answerPerson,
  type ClickHandler,
  type FormAnswer,
  type FormHandler,
  type HandlerDeps,
  type TurnClickHandler,
} from './handler.ts';
import { rate } from './rate-click.ts';
import { outdatedCardProblem, rejectClick, rejectForm } from './reject-click.ts';
import { stopTurn } from './stop-click.ts';
import { stopSession } from './stop-session.ts';

interface ClickListener {
  readonly handle: ClickHandler;
  /** `card`: from the current card only; `form`: checked after the form opened; `each`: per call; `own`: from any message of ours. */
  readonly check: 'card' | 'form' | 'each' | 'own';
}

const CLICKS: Readonly<Record<string, ClickListener>> = {
  [ACTIONS.approve]: { handle: approve, check: 'card' },
  [ACTIONS.approveAll]: { handle: approveAll, check: 'each' },
  [ACTIONS.review]: { handle: review, check: 'form' },
  [ACTIONS.ignore]: { handle: ignore, check: 'card' },
  [ACTIONS.edit]: { handle: edit, check: 'form' },
  [ACTIONS.reply]: { handle: reply, check: 'form' },
  [ACTIONS.open]: { handle: open, check: 'form' },
  [ACTIONS.menu]: { handle: open, check: 'form' },
  [ACTIONS.choose]: { handle: choose, check: 'card' },
  ...Object.fromEntries(
    Array.from({ length: CHOICE_BUTTONS }, (_, place) => [
      chooseAction(place),
      { handle: choose, check: 'card' } as const,
    ]),
  ),
  [ACTIONS.page]: { handle: turnPage, check: 'card' },
  [ACTIONS.pageBack]: { handle: turnPage, check: 'card' },
  [ACTIONS.formBack]: { handle: backInForm, check: 'card' },
  [ACTIONS.formKind]: { handle: chooseKind, check: 'card' },
  [ACTIONS.formAdd]: { handle: addEntry, check: 'card' },
  [ACTIONS.formRemove]: { handle: removeEntry, check: 'card' },
  [ACTIONS.formToggle]: { handle: toggleGroup, check: 'card' },
  [ACTIONS.askAgain]: { handle: askAgain, check: 'own' },
  [ACTIONS.settleRan]: { handle: createSettleHandler('ran'), check: 'card' },
  [ACTIONS.settleRerun]: { handle: createSettleHandler('rerun'), check: 'card' },
  [ACTIONS.settleLeave]: { handle: createSettleHandler('leave'), check: 'card' },
};

/** Buttons whose value names a turn, not a call. */
const TURN_CLICKS: ReadonlyMap<string, TurnClickHandler> = new Map([
  [ACTIONS.rate, rate],
  [ACTIONS.stopTurn, stopTurn],
]);

const FORMS: Readonly<Record<string, FormHandler>> = {
  [VIEWS.edit]: submitEdit,
  [VIEWS.reply]: submitReply,
  [VIEWS.reason]: submitReason,
};

/** Routes every click, form and command to its handler. Refuses unknown ones, and tells the person about failures. */
export function registerListeners(app: App, deps: HandlerDeps): void {
  app.action(/^/, async ({ body, ack }) => {
    await guard(body, ack as SlackAck, deps, (acknowledge) => handleClick(body, acknowledge, deps));
    // Clicks on Home refresh it themselves.
    if (!HOME_ACTIONS.has(actionIdOf(body))) await refreshHome(body, deps);
  });
  app.event('app_home_opened', async ({ body }) => {
    await showOpenedHome(body, deps);
  });
  app.event('agent_session_stopped', async ({ body }) => {
    await stopSession(body, deps);
  });
  app.event('subteam_updated', async ({ body }) => {
    await handleGroupChanged(body, deps);
  });
  // The app declares no shortcuts, so any payload is forged or foreign.
  app.shortcut(/^/, async ({ body, ack }) => {
    await guard(body, ack as SlackAck, deps, (acknowledge) =>
      refuseShortcut(body, acknowledge, deps),
    );
  });
  app.view({ callback_id: /^/, type: 'view_closed' }, async ({ ack }) => {
    await ack();
  });
  app.command(/^/, async ({ body, ack, respond }) => {
    await answerCommand(body, ack, respond, deps);
  });
  app.view({ callback_id: /^/, type: 'view_submission' }, async ({ body, ack }) => {
    await guard(body, ack as SlackAck, deps, (acknowledge) => handleForm(body, acknowledge, deps));
    await refreshHome(body, deps);
  });
  app.options(/^/, async ({ body, ack }) => {
    const answer = isRouteQuestion(body) ? suggestGroups : answerChoicesQuery;
    await ack({ options: await answer(body, deps) });
  });
}

/** Shows the person the effect of their action on Home at once. */
async function refreshHome(body: unknown, { home, identity }: HandlerDeps): Promise<void> {
  await home.follow(originOf(body, identity).person);
}

type SlackAck = (answer?: FormAnswer) => Promise<void>;

async function handleClick(body: unknown, ack: Acknowledge, deps: HandlerDeps): Promise<void> {
  if (isRouteAction(actionIdOf(body))) return handleRouteClick(body, ack, deps);
  const onTurn = TURN_CLICKS.get(actionIdOf(body));
  if (onTurn !== undefined) return handleTurnClick(body, onTurn, ack, deps);
  if (HOME_ACTIONS.has(actionIdOf(body))) return handleHomeClick(body, ack, deps);
  const parsed = parseClick(body, deps.identity);
  if (parsed.kind === 'refused') return rejectAndAck(parsed, ack, deps);
  const { click } = parsed;
  const listener = CLICKS[click.actionId];
  if (listener === undefined) throw new Error(`No handler for the known action ${click.actionId}.`);
  if (!(await isFromAllowedPlace(click, listener, deps)))
    return rejectAndAck(outdatedCardProblem(click), ack, deps);
  await listener.handle(click, ack, deps);
}

async function isFromAllowedPlace(
  click: Click,
  { check }: ClickListener,
  { cardOf }: HandlerDeps,
): Promise<boolean> {
  if (click.place === undefined || check === 'form' || check === 'each') return true;
  return isFromCurrentCard(click, check === 'own' ? undefined : await cardOf(click.token.callId));
}

async function handleTurnClick(
  body: unknown,
  handle: TurnClickHandler,
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  const parsed = parseTurnClick(body, deps.identity);
  if (parsed.kind === 'refused') return rejectAndAck(parsed, ack, deps);
  await handle(parsed.click, ack, deps);
}

async function handleHomeClick(body: unknown, ack: Acknowledge, deps: HandlerDeps): Promise<void> {
  const parsed = parseHomeClick(body, deps.identity);
  if (parsed.kind === 'refused') return rejectAndAck(parsed, ack, deps);
  await answerHomeClick(parsed.click, ack, deps);
}

async function handleForm(body: unknown, ack: Acknowledge, deps: HandlerDeps): Promise<void> {
  if (isRouteForm(body)) return submitRoute(body, ack, deps);
  const parsed = parseSubmission(body, deps.identity);
  if (parsed.kind === 'refused') {
    return rejectForm(parsed, objectAt(isPayload(body) ? body : {}, 'view'), ack, deps);
  }
  const { submission } = parsed;
  const handle = FORMS[submission.callbackId];
  if (handle === undefined) {
    throw new Error(`No handler for the known form ${submission.callbackId}.`);
  }
  await handle(submission, ack, deps);
}

async function refuseShortcut(body: unknown, ack: Acknowledge, deps: HandlerDeps): Promise<void> {
  const origin = originOf(body, deps.identity);
  const wrong = explainForeignPayload(isPayload(body) ? body : {}, origin, deps.identity);
  const refused = { ...unknownElement('a shortcut'), ...wrong };
  await rejectAndAck({ kind: 'refused', origin, subject: 'shortcut', ...refused }, ack, deps);
}

async function rejectAndAck(
  refused: RejectedInteraction,
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  await ack();
  await rejectClick(refused, deps);
}

/**
 * Logs a failure, never what was typed. Handlers save before they acknowledge, so a later failure
 * loses nothing. Before it, the person is told that nothing was saved.
 */
async function guard(
  body: unknown,
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
    const { person, ...where } = originOf(body, deps.identity);
    deps.log.error(
      { err: error, person, isAcknowledged },
      'A click could not be handled completely.',
    );
    if (isAcknowledged) return;
    // Without `viewId` the sentence goes to the thread, and the form keeps what was typed.
    const origin = { person, ...where, viewId: undefined };
    const sentence = describeFailure(error);
    await answerPerson(origin, sentence, deps, buildMessageView).catch((second: unknown) =>
      deps.log.error({ err: second, person }, 'Could not tell a person that their click failed.'),
    );
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof DamagedRecordError) return SENTENCES.damaged;
  const isInDoubt = error instanceof StoreUnavailableError && error.fate === 'unknown';
  return isInDoubt ? SENTENCES.perhapsSaved : SENTENCES.notSaved;
}
