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
export type Row<May extends keyof Checked = keyof Checked> = {
  [M in May]: { readonly may: M; readonly run: Handler<Checked[M]> };
}[May];

/** The rows by action id, and for submitted forms by callback id. */
const INTERACTIONS: ReadonlyMap<string, Row> = new Map<string, Row>([
  [ACTIONS.approve, { may: 'card', run: approve }],
  [ACTIONS.approveAll, { may: 'each', run: approveAll }],
  [ACTIONS.ignore, { may: 'card', run: ignore }],
  [ACTIONS.choose, { may: 'card', run: choose }],
  ...Array.from(
    { length: CHOICE_BUTTONS },
    (_, place) => [chooseAction(place), { may: 'card', run: choose }] as const,
  ),
  [ACTIONS.settleRan, { may: 'card', run: createSettleHandler('ran') }],
  [ACTIONS.settleRerun, { may: 'card', run: createSettleHandler('rerun') }],
  [ACTIONS.settleLeave, { may: 'card', run: createSettleHandler('leave') }],
  [ACTIONS.askAgain, { may: 'own', run: askAgain }],

  [ACTIONS.review, { may: 'form', run: review }],
  [ACTIONS.edit, { may: 'form', run: edit }],
  [ACTIONS.reply, { may: 'form', run: reply }],
  [ACTIONS.open, { may: 'form', run: open }],
  [ACTIONS.menu, { may: 'form', run: open }],
  [ACTIONS.page, { may: 'card', run: turnPage }],
  [ACTIONS.pageBack, { may: 'card', run: turnPage }],
  [ACTIONS.formBack, { may: 'card', run: backInForm }],
  [ACTIONS.formKind, { may: 'card', run: chooseKind }],
  [ACTIONS.formAdd, { may: 'card', run: addEntry }],
  [ACTIONS.formRemove, { may: 'card', run: removeEntry }],
  [ACTIONS.formToggle, { may: 'card', run: toggleGroup }],
  [VIEWS.edit, { may: 'submit', run: submitEdit }],
  [VIEWS.reply, { may: 'submit', run: submitReply }],
  [VIEWS.reason, { may: 'submit', run: submitReason }],

  [ACTIONS.rate, { may: 'turn', run: rate }],
  [ACTIONS.stopTurn, { may: 'turn', run: stopTurn }],

  [ACTIONS.homeReview, { may: 'home', run: answerHomeClick }],
  [ACTIONS.homeIgnore, { may: 'home', run: answerHomeClick }],
  [ACTIONS.homeRefresh, { may: 'home', run: answerHomeClick }],
  [ACTIONS.homeBack, { may: 'home', run: answerHomeClick }],
  [ACTIONS.homeOn, { may: 'home', run: answerHomeClick }],
  [ACTIONS.homeShow, { may: 'home', run: answerHomeClick }],
  [ACTIONS.homeTool, { may: 'home', run: answerHomeClick }],
  [ACTIONS.homeSearch, { may: 'home', run: answerHomeClick }],
  [ACTIONS.homeClear, { may: 'home', run: answerHomeClick }],

  [ROUTE_ACTIONS.manage, { may: 'routes', run: manageRoutes }],
  [ROUTE_ACTIONS.add, { may: 'routes', run: addRoute }],
  [ROUTE_ACTIONS.change, { may: 'route', run: changeRoute }],
  [ROUTE_ACTIONS.remove, { may: 'route', run: removeRoute }],
  [ROUTE_ACTIONS.channel, { may: 'route-form', run: warnAboutChannel }],
  [ROUTE_ACTIONS.more, { may: 'route-form', run: showSecondStep }],
  [ROUTE_ACTIONS.back, { may: 'route-form', run: showFirstStep }],
  [ROUTE_VIEWS.form, { may: 'submit-route', run: submitRoute }],
]);

/** Returns the row of a button or form; undefined if there is none. */
export function rowOf(id: string): Row | undefined {
  return INTERACTIONS.get(id);
}

const KINDS: { readonly [May in keyof Checked]: Checked[May]['kind'] } = {
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
export function isFor<May extends keyof Checked>(
  may: May,
  interaction: Interaction,
): interaction is Extract<Interaction, Checked[May]> {
  return KINDS[may] === interaction.kind;
}
