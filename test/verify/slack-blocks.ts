/**
 * The contract with Slack: its own `blocks.validate`, which needs no token, accepts what the app shows,
 * and rejects what the simulated workspace rejects. Needs the network, so it is not part of `npm test`:
 * run it with `npm run verify`; `SLACK_API_URL` sets another server.
 * https://docs.slack.dev/reference/methods/blocks.validate
 */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { WebClient } from '@slack/web-api';
import {
  validateMessage,
  validateView,
} from '../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildFullView } from '../../src/slack/forms/draw/full-view.ts';
import { buildReplyForm } from '../../src/slack/forms/draw/reply-form.ts';
import { INITIAL_HOME } from '../../src/slack/home/home-state.ts';
import { buildHomeErrorView } from '../../src/slack/home/home-view.ts';
import { buildOutboxParts } from '../../src/slack/outbound/build-messages.ts';
import { buildLiveMessage, buildStopButton } from '../../src/slack/outbound/live-message-blocks.ts';
import { slackErrorName } from '../../src/slack/transport/slack-errors.ts';
import { aCall } from '../support/builders/a-call.ts';
import { TEST_MARK } from '../support/test-secret-mark.ts';

const client = new WebClient(undefined, {
  retryConfig: { retries: 2 },
  ...(process.env.SLACK_API_URL !== undefined && { slackApiUrl: process.env.SLACK_API_URL }),
});

type Kind = 'message' | 'view';

async function judge(kind: Kind, subject: object): Promise<'taken' | 'refused'> {
  try {
    await client.apiCall('blocks.validate', { [kind]: JSON.stringify(subject) });
    return 'taken';
  } catch (error) {
    const name = slackErrorName(error);
    if (name === undefined || name === 'ratelimited') throw error;
    assert.equal(
      name,
      `invalid_${kind}`,
      `${JSON.stringify(error)} for ${JSON.stringify(subject)}`,
    );
    return 'refused';
  }
}

const FIXTURES = new URL('../fixtures/slack/', import.meta.url);
const text = (type: string, value: string) => ({ type, text: value });
const LOOK = { tool: undefined, mark: TEST_MARK };
const TURN = 'T1/C1/1.1';
const answer = '# A title\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n- [x] done';

const SHOWN: readonly (readonly [string, Kind, object])[] = [
  ...buildOutboxParts({ kind: 'answer', text: answer, turn: TURN, foot: '9 tokens in' }).map(
    (part) => ['an answer', 'message', part] as const,
  ),
  [
    'a growing message',
    'message',
    buildLiveMessage(
      { text: answer, tasks: [{ id: 'c1', tool: 'read_file', status: 'in_progress' }] },
      [buildStopButton(TURN)],
    ),
  ],
  ['the whole call', 'view', buildFullView(aCall(), { ...LOOK, page: 1, mayApprove: true })],
  ['the form of a reply', 'view', buildReplyForm(aCall(), LOOK)],
  ['a Home in trouble', 'view', buildHomeErrorView(INITIAL_HOME, 0)],
];

const title = text('plain_text', 'Title');
const BROKEN: readonly (readonly [string, Kind, object])[] = [
  ['an unknown block', 'message', { blocks: [{ type: 'nonsense' }] }],
  [
    'a long header',
    'message',
    { blocks: [{ type: 'header', text: text('plain_text', 'x'.repeat(151)) }] },
  ],
  [
    'too many blocks',
    'message',
    { blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) },
  ],
  ['a section of nothing', 'message', { blocks: [{ type: 'section' }] }],
  ['an alert in a message', 'message', { blocks: [{ type: 'alert', text: text('mrkdwn', 'x') }] }],
  [
    'a long title',
    'view',
    { type: 'modal', title: text('plain_text', 'x'.repeat(25)), blocks: [] },
  ],
  [
    'Markdown in a modal',
    'view',
    { type: 'modal', title, blocks: [{ type: 'markdown', text: 'x' }] },
  ],
];

describe('blocks.validate of Slack', () => {
  it('accepts every card of the fixtures', async () => {
    const files = (await readdir(FIXTURES)).filter((file) => file.startsWith('card-'));
    assert.ok(files.length > 0);
    for (const file of files) {
      const card = JSON.parse(await readFile(new URL(file, FIXTURES), 'utf8')) as object;
      assert.deepEqual(validateMessage(card), [], file);
      assert.equal(await judge('message', card), 'taken', file);
    }
  });

  for (const [what, kind, shown] of SHOWN) {
    it(`accepts ${what}`, async () => {
      assert.deepEqual(kind === 'view' ? validateView(shown) : validateMessage(shown), []);
      assert.equal(await judge(kind, shown), 'taken');
    });
  }

  for (const [what, kind, broken] of BROKEN) {
    it(`rejects ${what}, like the simulated workspace`, async () => {
      const problems = kind === 'view' ? validateView(broken) : validateMessage(broken);
      assert.notDeepEqual(problems, []);
      assert.equal(await judge(kind, broken), 'refused');
    });
  }
});
