/** Every button and form of the app: what is checked beside the parser and the desk, and what runs. */
import type {
  Click,
  HomeClick,
  Interaction,
  RouteClick,
  RouteFormClick,
  RouteSubmission,
  RoutesClick,
  Submission,
  TurnClick,
} from '../inbound/interaction.ts';
import { ROUTE_ACTIONS, ROUTE_VIEWS } from '../routes/route-ids.ts';
import { ACTIONS, CHOICE_BUTTONS, chooseAction, VIEWS } from '../transport/ids.ts';
import { approveAll } from './approve-all-click.ts';
import { askAgain } from './ask-again-click.ts';
import { approve, choose, createSettleHandler, ignore } from './decide-click.ts';
import { addEntry, backInForm, chooseKind, removeEntry, toggleGroup } from './forms/change-form.ts';
import { edit, open, reply, review, turnPage } from './forms/open-form.ts';
import { submitEdit, submitReason, submitReply } from './forms/submit-form.ts';
import type { Handler } from './handler.ts';
import { answerHomeClick } from './home-click.ts';
import { rate } from './rate-click.ts';
import {
  addRoute,
  changeRoute,
  manageRoutes,
  removeRoute,
  showFirstStep,
  showSecondStep,
  warnAboutChannel,
} from './routes/route-clicks.ts';
import { submitRoute } from './routes/submit-route.ts';
import { stopTurn } from './stop-click.ts';

/** A check, and the interactions that it is for. */
export interface Checked {
  /** Only from the current card of the call, or from a form about it. */
  readonly card: Click;
  /** As `card`, but the handler checks after it opened a form: the click would expire meanwhile. */
  readonly form: Click;
  /** As `card`, but the handler checks each of several calls. */
  readonly each: Click;
  /** From any message of ours, or from a form. */
  readonly own: Click;
  /** The parser has checked these completely. */
  readonly turn: TurnClick;
  readonly home: HomeClick;
  readonly routes: RoutesClick;
  readonly route: RouteClick;
  readonly 'route-form': RouteFormClick;
  readonly submit: Submission;
  readonly 'submit-route': RouteSubmission;
}

/** A row of the table, by its check. */
export type Row<Name extends keyof Checked = keyof Checked> = {
  [C in Name]: { readonly check: C; readonly run: Handler<Checked[C]> };
}[Name];

/** The rows by action id, and for submitted forms by callback id. */
const INTERACTIONS: ReadonlyMap<string, Row> = new Map<string, Row>([
  [ACTIONS.approve, { check: 'card', run: approve }],
  [ACTIONS.approveAll, { check: 'each', run: approveAll }],
  [ACTIONS.ignore, { check: 'card', run: ignore }],
  [ACTIONS.choose, { check: 'card', run: choose }],
  ...Array.from(
    { length: CHOICE_BUTTONS },
    (_, place) => [chooseAction(place), { check: 'card', run: choose }] as const,
  ),
  [ACTIONS.settleRan, { check: 'card', run: createSettleHandler('ran') }],
  [ACTIONS.settleRerun, { check: 'card', run: createSettleHandler('rerun') }],
  [ACTIONS.settleLeave, { check: 'card', run: createSettleHandler('leave') }],
  [ACTIONS.askAgain, { check: 'own', run: askAgain }],

  [ACTIONS.review, { check: 'form', run: review }],
  [ACTIONS.edit, { check: 'form', run: edit }],
  [ACTIONS.reply, { check: 'form', run: reply }],
  [ACTIONS.open, { check: 'form', run: open }],
  [ACTIONS.menu, { check: 'form', run: open }],
  [ACTIONS.page, { check: 'card', run: turnPage }],
  [ACTIONS.pageBack, { check: 'card', run: turnPage }],
  [ACTIONS.formBack, { check: 'card', run: backInForm }],
  [ACTIONS.formKind, { check: 'card', run: chooseKind }],
  [ACTIONS.formAdd, { check: 'card', run: addEntry }],
  [ACTIONS.formRemove, { check: 'card', run: removeEntry }],
  [ACTIONS.formToggle, { check: 'card', run: toggleGroup }],
  [VIEWS.edit, { check: 'submit', run: submitEdit }],
  [VIEWS.reply, { check: 'submit', run: submitReply }],
  [VIEWS.reason, { check: 'submit', run: submitReason }],

  [ACTIONS.rate, { check: 'turn', run: rate }],
  [ACTIONS.stopTurn, { check: 'turn', run: stopTurn }],

  [ACTIONS.homeReview, { check: 'home', run: answerHomeClick }],
  [ACTIONS.homeIgnore, { check: 'home', run: answerHomeClick }],
  [ACTIONS.homeRefresh, { check: 'home', run: answerHomeClick }],
  [ACTIONS.homeBack, { check: 'home', run: answerHomeClick }],
  [ACTIONS.homeOn, { check: 'home', run: answerHomeClick }],
  [ACTIONS.homeShow, { check: 'home', run: answerHomeClick }],
  [ACTIONS.homeTool, { check: 'home', run: answerHomeClick }],
  [ACTIONS.homeSearch, { check: 'home', run: answerHomeClick }],
  [ACTIONS.homeClear, { check: 'home', run: answerHomeClick }],

  [ROUTE_ACTIONS.manage, { check: 'routes', run: manageRoutes }],
  [ROUTE_ACTIONS.add, { check: 'routes', run: addRoute }],
  [ROUTE_ACTIONS.change, { check: 'route', run: changeRoute }],
  [ROUTE_ACTIONS.remove, { check: 'route', run: removeRoute }],
  [ROUTE_ACTIONS.channel, { check: 'route-form', run: warnAboutChannel }],
  [ROUTE_ACTIONS.more, { check: 'route-form', run: showSecondStep }],
  [ROUTE_ACTIONS.back, { check: 'route-form', run: showFirstStep }],
  [ROUTE_VIEWS.form, { check: 'submit-route', run: submitRoute }],
]);

/** Returns the row of a button or form; undefined if there is none. */
export function rowOf(id: string): Row | undefined {
  return INTERACTIONS.get(id);
}

const KINDS: { readonly [C in keyof Checked]: Checked[C]['kind'] } = {
  card: 'click',
  form: 'click',
  each: 'click',
  own: 'click',
  turn: 'turn-click',
  home: 'home-click',
  routes: 'routes-click',
  route: 'route-click',
  'route-form': 'route-form-click',
  submit: 'submission',
  'submit-route': 'route-submission',
};

/** Returns whether a row is for this kind of interaction. */
export function isFor<Name extends keyof Checked>(
  check: Name,
  interaction: Interaction,
): interaction is Extract<Interaction, Checked[Name]> {
  return KINDS[check] === interaction.kind;
}
