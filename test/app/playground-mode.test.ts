/** When the playground starts, and when the settings select a Slack workspace. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, readConfig } from '../../src/config/config.ts';

type Env = Record<string, string | undefined>;

const SOCKET = { SLACK_BOT_TOKEN: 'xoxb-1-2-abc', SLACK_APP_TOKEN: 'xapp-1-A2-abc' };
const MODEL = { OPENAI_API_KEY: 'sk-key-of-a-model' };

const read = (env: Env) => readConfig(env, { exists: () => false });

const NO_BOT = (why: string, undo: string) =>
  `SLACK_BOT_TOKEN is missing while ${why}. Add the bot token (xoxb-…), or ${undo} to start the playground.`;
const NO_WAY_IN = (why: string) =>
  `SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is missing while ${why}. Add SLACK_APP_TOKEN (xapp-…) for Socket Mode, or SLACK_SIGNING_SECRET for HTTP.`;

/** The settings, and every setting that is reported as missing. */
const STOPS: readonly (readonly [env: Env, ...problems: readonly string[]])[] = [
  [{ MODE: 'slack' }, NO_BOT('MODE is slack', 'set MODE=playground'), NO_WAY_IN('MODE is slack')],
  [{ MODE: 'slack', SLACK_BOT_TOKEN: 'xoxb-1', ...MODEL }, NO_WAY_IN('SLACK_BOT_TOKEN is set')],
  [
    { SLACK_API_URL: 'https://slack.com/api/' },
    NO_BOT('SLACK_API_URL is set', 'unset SLACK_API_URL'),
    NO_WAY_IN('SLACK_API_URL is set'),
  ],
  [
    { SLACK_SIGNING_SECRET: '0123456789abcdef' },
    NO_BOT('SLACK_SIGNING_SECRET is set', 'unset SLACK_SIGNING_SECRET'),
  ],
  [
    { SLACK_BOT_TOKN: 'xoxb-1' },
    'SLACK_BOT_TOKN is not a setting. Did you mean SLACK_BOT_TOKEN? Correct the name, or set MODE=playground to start the playground.',
  ],
  [{ MODE: 'production' }, 'MODE must be slack or playground. (The model is set with MODEL.)'],
];

describe('the playground', () => {
  for (const [env, ...problems] of STOPS) {
    it(`never starts with ${Object.keys(env).join(' and ')}${env.MODE ? ` (${env.MODE})` : ''}`, () => {
      assert.throws(
        () => read(env),
        (error) => {
          assert(error instanceof ConfigError);
          assert.deepEqual(error.problems, problems);
          return true;
        },
      );
    });
  }

  it('starts when MODE asks for it, whatever Slack settings exist', () => {
    const { mode, warnings } = read({ MODE: 'playground', ...SOCKET, SLACK_SIGNING_SECRET: '01…' });
    assert.equal(mode, 'playground');
    assert.deepEqual(warnings, [
      'SLACK_BOT_TOKEN has no effect with MODE=playground.',
      'SLACK_APP_TOKEN has no effect with MODE=playground.',
      'SLACK_SIGNING_SECRET has no effect with MODE=playground.',
    ]);
    assert.equal(read({ MODE: 'playground', SLACK_BOT_TOKN: 'xoxb-1' }).mode, 'playground');
  });

  it('starts when the environment holds only variables of other programs', () => {
    const others = { SLACK_WEBHOOK_URL: 'x', SLACK_BOT_TOKEN_2: 'x', NODE: '/usr/bin/node' };
    const { mode, warnings } = read(others);
    assert.deepEqual([mode, warnings], ['playground', []]);
  });
});

it('a Slack workspace starts with MODE=slack and without MODE', () => {
  assert.equal(read({ MODE: 'slack', ...SOCKET, ...MODEL }).mode, 'slack');
  assert.equal(read({ ...SOCKET, ...MODEL }).mode, 'slack');
});
