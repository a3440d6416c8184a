/** Every element and form of the app, and payloads that do not match them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeCardToken } from '../../../src/domain/calls/digest.ts';
import {
  createFormMetadata,
  encodeFormMetadata,
} from '../../../src/slack/forms/read/form-metadata.ts';
import { parseClick } from '../../../src/slack/inbound/parse-click.ts';
import { parseCommand } from '../../../src/slack/inbound/parse-command.ts';
import { parseForm, parseOptionsQuery } from '../../../src/slack/inbound/parse-form.ts';
import { parseMessage } from '../../../src/slack/inbound/parse-message.ts';
import {
  explainInvalidClick,
  explainWrongInstallation,
} from '../../../src/slack/inbound/validate-payload.ts';
import { ROUTE_ACTIONS } from '../../../src/slack/routes/route-ids.ts';
import type { SlackIdentity } from '../../../src/slack/transport/connect-slack.ts';
import { ACTIONS, CHOICE_BUTTONS, chooseAction } from '../../../src/slack/transport/ids.ts';
import { aCall } from '../../support/builders/a-call.ts';

const identity: SlackIdentity = { team: 'T1', botUserId: 'UBOT', botId: 'BOWN', appId: 'A1' };
const token = encodeCardToken(aCall());
const FROM = { api_app_id: 'A1', team: { id: 'T1' }, user: { id: 'U1', team_id: 'T1' } };

type Json = Record<string, unknown>;

function onMessage(actionId: string, type = 'button'): Json {
  return {
    type: 'block_actions',
    ...FROM,
    channel: { id: 'C1' },
    container: { type: 'message', channel_id: 'C1', message_ts: '5.1' },
    message: { ts: '5.1', bot_id: 'BOWN' },
    actions: [{ type, action_id: actionId, value: token }],
  };
}

function inView(actionId: string, callbackId: string, type = 'button'): Json {
  const kind = callbackId === 'home' ? 'home' : 'modal';
  const { channel: _channel, message: _message, ...rest } = onMessage(actionId, type);
  return {
    ...rest,
    container: { type: 'view', view_id: 'V1' },
    view: { id: 'V1', type: kind, callback_id: callbackId, private_metadata: token },
  };
}

const VIEWS = ['home', 'call.full', 'call.edit.submit', 'route.list', 'route.form.submit'];

const of = (stands: readonly string[], ...ids: readonly string[]) =>
  Object.fromEntries(ids.map((id) => [id, stands]));
const withPrefix = (prefix: string, names: string) =>
  names.split(' ').map((name) => `${prefix}.${name}`);

/** Where each action may be clicked, and the type of its element. */
const STANDS: Readonly<Record<string, readonly string[]>> = {
  ...of(['message', 'call.full'], ...withPrefix('call', 'approve edit reply ignore')),
  ...of(['message', 'call.full'], ...withPrefix('call', 'settle-ran settle-rerun settle-leave')),
  ...of(['message'], ...withPrefix('call', 'approve-all review open menu choose ask-again')),
  ...of(['message'], ...withPrefix('call', 'choose-0 choose-1 choose-2 choose-3 choose-4')),
  ...of(['message'], 'answer.rate', 'turn.stop'),
  ...of(['call.full'], 'call.page', 'call.page-back'),
  ...of(['call.edit.submit'], ...withPrefix('form', 'back add remove toggle kind')),
  ...of(['home'], ...withPrefix('home', 'review ignore refresh back on show tool search clear')),
  ...of(['home'], 'route.manage'),
  ...of(['home', 'route.list'], 'route.add', 'route.change'),
  ...of(['route.list'], 'route.remove'),
  ...of(['route.form.submit'], ...withPrefix('route', 'more back channel')),
};
const TYPES: Readonly<Record<string, string>> = {
  'answer.rate': 'feedback_buttons',
  'call.choose': 'static_select',
  'call.menu': 'overflow',
  'form.kind': 'static_select',
  'home.show': 'static_select',
  'home.tool': 'static_select',
  'home.search': 'plain_text_input',
  'route.channel': 'conversations_select',
};

describe('a click', () => {
  it('has a row here for every element of the app', () => {
    // The field of user groups is searched and never clicked.
    const ids = [...Object.values(ACTIONS), ...Object.values(ROUTE_ACTIONS)];
    const places = Array.from({ length: CHOICE_BUTTONS }, (_, place) => chooseAction(place));
    const pressed = [...ids, ...places].filter((id) => id !== ROUTE_ACTIONS.groups);
    assert.deepEqual(Object.keys(STANDS).toSorted(), pressed.toSorted());
  });

  for (const [id, stands] of Object.entries(STANDS)) {
    it(`on ${id} is accepted from ${stands.join(' and ')}, and from nowhere else`, () => {
      const type = TYPES[id] ?? 'button';
      const all: readonly (readonly [string, Json])[] = [
        ['message', onMessage(id, type)],
        ...VIEWS.map((view) => [view, inView(id, view, type)] as const),
      ];
      const taken = all.filter(([, payload]) => explainInvalidClick(payload) === undefined);
      assert.deepEqual(taken.map(([stand]) => stand).toSorted(), [...stands].toSorted());
    });

    it(`on ${id} is refused from an element of another type`, () => {
      for (const type of ['button', 'static_select', 'overflow', 'checkboxes', undefined]) {
        if (type === (TYPES[id] ?? 'button')) continue;
        const [stand = ''] = stands;
        const right = stand === 'message' ? onMessage(id) : inView(id, stand);
        const actions = [{ type, action_id: id, value: token }];
        assert.match(explainInvalidClick({ ...right, actions })?.why ?? '', /another type/);
      }
    });
  }

  const press = onMessage('call.approve');
  const full = inView('call.page', 'call.full');
  const refused: readonly [string, Json, RegExp][] = [
    ['in a payload of another type', { ...press, type: 'view_submission' }, /payload of type view/],
    ['in a shortcut', { ...press, type: 'shortcut' }, /payload of type shortcut/],
    ['in a message action', { ...press, type: 'message_action' }, /payload of type message_action/],
    ['in a payload without a type', { ...press, type: undefined }, /payload of type none/],
    ['from an attachment', { ...press, container: { type: 'message_attachment' } }, /no message/],
    ['from no container', { ...press, container: undefined }, /no message/],
    ['with the message of another', { ...press, message: { ts: '6.1' } }, /another message/],
    ['with the channel of another', { ...press, channel: { id: 'C2' } }, /another message/],
    ['with a view beside its message', { ...press, view: { id: 'V1' } }, /message and a view/],
    ['from another view', { ...full, container: { type: 'view', view_id: 'V2' } }, /another view/],
    ['from a view without an id', { ...full, view: { type: 'modal' } }, /another view/],
    [
      'from a Home that says it is a modal of ours',
      { ...full, view: { id: 'V1', type: 'home', callback_id: 'call.full' } },
      /in another view/,
    ],
    ['named like a part of every object', onMessage('constructor'), /unknown action/],
  ];
  for (const [what, payload, why] of refused) {
    it(`is refused ${what}`, () => {
      assert.match(explainInvalidClick(payload)?.why ?? '', why);
    });
  }
});

describe('a payload', () => {
  const organization: SlackIdentity = { ...identity, enterprise: 'E1' };
  const cases: readonly [string, SlackIdentity, Json, RegExp | undefined][] = [
    ['for us', identity, {}, undefined],
    ['without a workspace, as in an organization', identity, { team: null }, undefined],
    ['for another app', identity, { api_app_id: 'A2' }, /another app/],
    ['for no app', identity, { api_app_id: undefined }, /another app/],
    ['with the view of another app', identity, { view: { app_id: 'A2' } }, /another app/],
    ['with the view of another bot', identity, { view: { bot_id: 'B2' } }, /another app/],
    ['from another workspace', identity, { team: { id: 'T2' } }, /another workspace/],
    ['from an organization', identity, { enterprise: { id: 'E1' } }, /another workspace/],
    ['from ours of an organization', organization, { enterprise: { id: 'E1' } }, undefined],
    [
      'from a sibling of ours',
      organization,
      { enterprise: { id: 'E1' }, team: { id: 'T2' } },
      undefined,
    ],
    ['from another organization', organization, { enterprise: { id: 'E2' } }, /another workspace/],
    ['before the app is known', { ...identity, appId: undefined }, {}, /app id is not known yet/],
  ];
  for (const [what, who, patch, why] of cases) {
    it(`${what} is ${why ? 'refused' : 'accepted'}`, () => {
      const found = explainWrongInstallation({ ...onMessage('call.approve'), ...patch }, who)?.why;
      if (why === undefined) assert.equal(found, undefined);
      else assert.match(found ?? '', why);
    });
  }
});

describe('a form', () => {
  const meta = encodeFormMetadata(createFormMetadata());
  const form = (callbackId: string, metadata: string, patch: Json = {}): Json => ({
    type: 'view_submission',
    ...FROM,
    view: {
      id: 'V1',
      type: 'modal',
      callback_id: callbackId,
      private_metadata: metadata,
      state: { values: {} },
      ...patch,
    },
  });

  /** The metadata of each form, by its callback id. */
  const metadata = {
    token,
    'token and page': `${token} ${meta}`,
    'token and review': `${token} review`,
    'token and more': `${token} ${meta} x`,
    nothing: '',
  };
  const taken: Readonly<Record<string, readonly string[]>> = {
    'call.edit.submit': ['token and page'],
    'call.reply.submit': ['token'],
    'call.approve.submit': ['token'],
    'call.full': [],
    'call.message': [],
    'route.form.submit': [],
    home: [],
    constructor: [],
  };
  for (const [callbackId, kinds] of Object.entries(taken)) {
    it(`${callbackId} is accepted with ${kinds.join(' and ') || 'no metadata'}`, () => {
      const found = Object.entries(metadata).flatMap(([kind, text]) =>
        parseForm(form(callbackId, text), identity).kind === 'submission' ? [kind] : [],
      );
      assert.deepEqual(found, kinds);
    });
  }

  it('is refused in a payload of another type, and if its view is no modal', () => {
    const right = form('call.reply.submit', token);
    const wrong = [
      { ...right, type: 'block_actions' },
      { ...right, type: 'view_closed' },
      { ...right, type: 'block_suggestion' },
      form('call.reply.submit', token, { type: 'home' }),
      form('call.reply.submit', token, { id: '' }),
    ];
    for (const each of wrong) assert.equal(parseForm(each, identity).kind, 'refused');
  });

  it('requests options only in a payload of its own type', () => {
    const right = form('call.edit.submit', `${token} ${meta}`);
    assert.equal(
      parseOptionsQuery({ ...right, type: 'block_suggestion' }, identity).kind,
      'choices-query',
    );
    assert.equal(parseOptionsQuery(right, identity).kind, 'refused');
  });

  it('turns its pages only by the metadata of its own view', () => {
    const turn = (text: string) => {
      const payload = inView('call.page', 'call.full');
      const view = { ...(payload.view as Json), private_metadata: text };
      return parseClick({ ...payload, view }, identity).kind;
    };
    assert.deepEqual(Object.values(metadata).map(turn), [
      'click',
      'refused',
      'click',
      'refused',
      'refused',
    ]);
  });
});

describe('a command', () => {
  const right = {
    api_app_id: 'A1',
    team_id: 'T1',
    user_id: 'U1',
    channel_id: 'C1',
    command: '/countersign',
    text: 'pause',
  };
  const refused: readonly [string, Json, RegExp][] = [
    ['by another name', { command: '/other' }, /not one of mine/],
    ['without a name', { command: undefined }, /not one of mine/],
    ['in a payload of a type', { type: 'block_actions' }, /not one of mine/],
    ['for another app', { api_app_id: 'A2' }, /not one of mine/],
    ['from another workspace', { team_id: 'T2' }, /members of this workspace/],
    ['from another organization', { enterprise_id: 'E2' }, /members of this workspace/],
  ];
  it('of ours is accepted', () => {
    assert.equal(parseCommand(right, identity).kind, 'command');
  });
  for (const [what, patch, sentence] of refused) {
    it(`is refused ${what}, and its author is told`, () => {
      const parsed = parseCommand({ ...right, ...patch }, identity);
      assert.ok(parsed.kind === 'refused');
      assert.match(parsed.sentence, sentence);
    });
  }
});

describe('an event', () => {
  const body = {
    type: 'event_callback',
    api_app_id: 'A1',
    team_id: 'T1',
    event: { type: 'app_mention', channel: 'C1', user: 'U1', ts: '1.1', text: '<@UBOT> hello' },
  };
  const kindOf = (patch: Json, who = identity) =>
    parseMessage({ ...body, ...patch }, { identity: who, now: 0 }).kind;

  it('is accepted only in an envelope of its kind, for this app', () => {
    assert.equal(kindOf({}), 'message');
    assert.equal(kindOf({ type: 'block_actions' }), 'ignore');
    assert.equal(kindOf({ api_app_id: 'A2' }), 'ignore');
    assert.equal(kindOf({ api_app_id: undefined }), 'ignore');
    assert.equal(kindOf({}, { ...identity, appId: undefined }), 'refuse');
  });
});
