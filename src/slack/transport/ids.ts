/** Every id of a button, form or piece of metadata that the app writes and reads back. */
export const ACTIONS = {
  approve: 'call.approve',
  approveAll: 'call.approve-all',
  review: 'call.review',
  edit: 'call.edit',
  reply: 'call.reply',
  ignore: 'call.ignore',
  open: 'call.open',
  menu: 'call.menu',
  /** One of the answers that a question offers: as a button by its place, or in a list. */
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

/** How many answers a card offers as buttons; more are a list. */
export const CHOICE_BUTTONS = 5;

/** Returns the id of the button of an answer. */
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

/** What a review says of itself beside the token of its call. */
export const REVIEW = 'review';

export const METADATA = {
  card: 'countersign_card',
  stub: 'countersign_stub',
  left: 'countersign_left',
  bulletin: 'countersign_bulletin',
  say: 'countersign_say',
  growing: 'countersign_growing',
} as const;
