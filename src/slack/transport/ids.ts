/** The ids of buttons, forms, metadata and commands that the app tells Slack and reads back. */
export const ACTIONS = {
  approve: 'call.approve',
  approveAll: 'call.approve-all',
  review: 'call.review',
  edit: 'call.edit',
  reply: 'call.reply',
  ignore: 'call.ignore',
  open: 'call.open',
  menu: 'call.menu',
  /** Picks an answer to a question: a button with the answer’s index, or a list. */
  choose: 'call.choose',
  page: 'call.page',
  pageBack: 'call.page-back',
  settleRan: 'call.settle-ran',
  settleRerun: 'call.settle-rerun',
  settleLeave: 'call.settle-leave',
  askAgain: 'call.ask-again',
  rate: 'answer.rate',
  stopTurn: 'turn.stop',
  formBack: 'form.back',
  formAdd: 'form.add',
  formRemove: 'form.remove',
  formToggle: 'form.toggle',
  formKind: 'form.kind',
  homeReview: 'home.review',
  homeIgnore: 'home.ignore',
  homeRefresh: 'home.refresh',
  homeBack: 'home.back',
  homeOn: 'home.on',
  homeShow: 'home.show',
  homeTool: 'home.tool',
  homeSearch: 'home.search',
  homeClear: 'home.clear',
} as const;

/** Up to this many answers are buttons on a card; more are a list. */
export const CHOICE_BUTTONS = 5;

/** Returns the action id of the button of an answer, by the answer’s index. */
export function chooseAction(place: number): string {
  return `${ACTIONS.choose}-${place}`;
}

export const VIEWS = {
  loading: 'call.loading',
  message: 'call.message',
  full: 'call.full',
  edit: 'call.edit.submit',
  reply: 'call.reply.submit',
  reason: 'call.approve.submit',
  home: 'home',
} as const;

/** Marks a review in the view’s metadata, after the call’s token. */
export const REVIEW = 'review';

export const METADATA = {
  card: 'countersign_card',
  stub: 'countersign_stub',
  superseded: 'countersign_left',
  digest: 'countersign_bulletin',
  outbox: 'countersign_say',
  live: 'countersign_growing',
} as const;

/** The slash command; the manifest declares it. */
export const COMMAND = '/countersign';

/** The words that may follow the command. */
export const COMMAND_WORDS = [
  'waiting',
  'stop',
  'pause',
  'resume',
  'forget',
  'status',
  'routes',
  'tools',
  'accept',
  'help',
] as const;

export type CommandWord = (typeof COMMAND_WORDS)[number];
