/** Every button and select of the app: where it may be, and what a click on it is about. */
import { ROUTE_ACTIONS, ROUTE_VIEWS } from '../routes/route-ids.ts';
import { ACTIONS, CHOICE_BUTTONS, chooseAction, VIEWS } from '../transport/ids.ts';
import type { AnyClick } from './interaction.ts';

/** Where an element may be: a message, Home, or a modal (by callback id). */
export type ElementPlace =
  | 'message'
  | 'home'
  | (typeof VIEWS)[keyof typeof VIEWS]
  | (typeof ROUTE_VIEWS)[keyof typeof ROUTE_VIEWS];

interface Element {
  readonly kind: AnyClick['kind'];
  /** Slack's name of the element. */
  readonly type: string;
  readonly places: readonly ElementPlace[];
}

type Place = Omit<Element, 'kind'>;

const button = (...places: readonly ElementPlace[]): Place => ({ type: 'button', places });
const select = (...places: readonly ElementPlace[]): Place => ({ type: 'static_select', places });

const PLACES: Readonly<Record<AnyClick['kind'], Readonly<Record<string, Place>>>> = {
  click: {
    [ACTIONS.approve]: button('message', VIEWS.full),
    [ACTIONS.approveAll]: button('message'),
    [ACTIONS.review]: button('message'),
    [ACTIONS.edit]: button('message', VIEWS.full),
    [ACTIONS.reply]: button('message', VIEWS.full),
    [ACTIONS.ignore]: button('message', VIEWS.full),
    [ACTIONS.open]: button('message'),
    [ACTIONS.menu]: { type: 'overflow', places: ['message'] },
    [ACTIONS.choose]: select('message'),
    ...Object.fromEntries(
      Array.from({ length: CHOICE_BUTTONS }, (_, place) => [
        chooseAction(place),
        button('message'),
      ]),
    ),
    [ACTIONS.page]: button(VIEWS.full),
    [ACTIONS.pageBack]: button(VIEWS.full),
    [ACTIONS.settleRan]: button('message', VIEWS.full),
    [ACTIONS.settleRerun]: button('message', VIEWS.full),
    [ACTIONS.settleLeave]: button('message', VIEWS.full),
    [ACTIONS.askAgain]: button('message'),
    [ACTIONS.formBack]: button(VIEWS.edit),
    [ACTIONS.formAdd]: button(VIEWS.edit),
    [ACTIONS.formRemove]: button(VIEWS.edit),
    [ACTIONS.formToggle]: button(VIEWS.edit),
    [ACTIONS.formKind]: select(VIEWS.edit),
  },
  'turn-click': {
    [ACTIONS.rate]: { type: 'feedback_buttons', places: ['message'] },
    [ACTIONS.stopTurn]: button('message'),
  },
  'home-click': {
    [ACTIONS.homeReview]: button('home'),
    [ACTIONS.homeIgnore]: button('home'),
    [ACTIONS.homeRefresh]: button('home'),
    [ACTIONS.homeBack]: button('home'),
    [ACTIONS.homeOn]: button('home'),
    [ACTIONS.homeShow]: select('home'),
    [ACTIONS.homeTool]: select('home'),
    [ACTIONS.homeSearch]: { type: 'plain_text_input', places: ['home'] },
    [ACTIONS.homeClear]: button('home'),
  },
  'routes-click': {
    [ROUTE_ACTIONS.manage]: button('home'),
    [ROUTE_ACTIONS.add]: button('home', ROUTE_VIEWS.list),
  },
  'route-click': {
    [ROUTE_ACTIONS.change]: button('home', ROUTE_VIEWS.list),
    [ROUTE_ACTIONS.remove]: button(ROUTE_VIEWS.list),
  },
  'route-form-click': {
    [ROUTE_ACTIONS.more]: button(ROUTE_VIEWS.form),
    [ROUTE_ACTIONS.back]: button(ROUTE_VIEWS.form),
    [ROUTE_ACTIONS.channel]: { type: 'conversations_select', places: [ROUTE_VIEWS.form] },
  },
};

const ELEMENTS: ReadonlyMap<string, Element> = new Map(
  (Object.keys(PLACES) as readonly AnyClick['kind'][]).flatMap((kind) =>
    Object.entries(PLACES[kind]).map(([id, place]) => [id, { kind, ...place }] as const),
  ),
);

/** Returns the element with an action id; undefined if the app has none. */
export function elementOf(id: string): Element | undefined {
  return ELEMENTS.get(id);
}
