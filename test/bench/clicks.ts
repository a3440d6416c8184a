import { fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { plainModule } from '../support/plain-module.ts';
import { type Bench, interleave, quantile } from './kit/bench.ts';
import { SEEDED_CARD } from './kit/seed-pending.ts';
import type { ClickServer, ClickServerOptions } from './kit/servers/click-server.ts';
import { APP, startTinySlack } from './kit/servers/tiny-slack.ts';

const SECRET = 'a-secret-of-the-bench';
const PER_SECOND = 100;
const SERVER = fileURLToPath(new URL('./kit/servers/click-server.ts', import.meta.url));

/** Measures how long people wait for the acknowledgement of a click, at a given number of clicks a second. */
export const clicks: Bench = {
  stores: ['SQLite', 'Redis'],

  async probe({ store: kind, redisUrl, scale }) {
    const perRound = scale.isQuick ? 10 : 300;
    const warmUp = scale.isQuick ? 2 : 200;
    const slack = await startTinySlack();
    const shared = { kind, redisUrl, apiUrl: slack.apiUrl };
    const calls = warmUp + perRound * scale.rounds;
    const ours = await startServer({ side: 'ours', calls, ...shared });
    const ack = await startServer({ side: 'ack', calls, ...shared });
    await sendClicks(ours, ours.tokens.splice(0, warmUp));
    await sendClicks(ack, ours.tokens.slice(0, warmUp));
    const p99 = async (server: Started, tokens: readonly string[]) =>
      quantile(await sendClicks(server, tokens), 0.99);
    const times = await interleave(scale.rounds, {
      ours: () => p99(ours, ours.tokens.splice(0, perRound)),
      ack: () =>
        p99(
          ack,
          Array.from({ length: perRound }, () => 'call_aaaaaaaaaaaaaaaaaaaaaa.1.0'),
        ),
    });
    await Promise.all([ours.stop(), ack.stop()]);
    await slack.stop();
    return times;
  },

  lines: ({ ours = Number.NaN, ack }, store) => [
    {
      what: 'click → acknowledged, p99 at 100 clicks/s',
      store,
      ours,
      baseline: ack,
      unit: 'ms',
      goal: 2,
      against: 'a Bolt handler that only acknowledges',
    },
  ],
};

interface Started {
  readonly tokens: string[];
  /** Sends a click; resolves with its response time (ms). */
  click(token: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a process that accepts clicks. */
export async function startServer(
  options: Omit<ClickServerOptions, 'signingSecret'>,
): Promise<Started> {
  const agent = new Agent({ keepAlive: true });
  const told = { ...options, signingSecret: SECRET };
  const { entry, execArgv } = plainModule(SERVER);
  const child = fork(entry, [JSON.stringify(told)], { execArgv: [...execArgv] });
  const exit = once(child, 'exit');
  const ready = once(child, 'message').then(([message]) => message as ClickServer);
  const failed = exit.then(([code]) => {
    throw new Error(`The server of clicks ended with ${code} before it was ready.`);
  });
  const { url, tokens } = await Promise.race([ready, failed]);
  failed.catch(() => {});
  return {
    tokens: [...tokens],
    click: (token) => sendClick(url, agent, token),
    async stop() {
      agent.destroy();
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** Sends one click for each token at its time, whether or not the earlier ones were answered; resolves with all response times. */
async function sendClicks({ click }: Started, tokens: readonly string[]): Promise<number[]> {
  const begin = performance.now();
  const answers: Promise<number>[] = [];
  for (const [index, token] of tokens.entries()) {
    const dueIn = begin + (index * 1_000) / PER_SECOND - performance.now();
    if (dueIn > 0) await new Promise((resolve) => setTimeout(resolve, dueIn));
    answers.push(click(token));
  }
  return await Promise.all(answers);
}

function sendClick(url: string, agent: Agent, token: string): Promise<number> {
  const body = new URLSearchParams({ payload: JSON.stringify(toPayload(token)) }).toString();
  const seconds = String(Math.floor(Date.now() / 1_000));
  const digest = createHmac('sha256', SECRET).update(`v0:${seconds}:${body}`).digest('hex');
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(body),
    'x-slack-request-timestamp': seconds,
    'x-slack-signature': `v0=${digest}`,
  };
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - sentAt);
        else reject(new Error(`A click was answered with ${response.statusCode}.`));
      });
    });
    sent.on('error', reject).end(body);
  });
}

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
function toPayload(token: string) {
  const { channel, ts } = SEEDED_CARD;
  const action = { type: 'button', action_id: 'call.approve', block_id: 'b', value: token };
  return {
    type: 'block_actions',
    team: { id: APP.team, domain: 'bench' },
    user: { id: 'U2', username: 'approver', team_id: APP.team },
    api_app_id: APP.appId,
    container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false },
    channel: { id: channel, name: 'general' },
    message: { bot_id: APP.botId, ts, text: 'card', thread_ts: ts },
    trigger_id: '1.2.3',
    response_url: 'http://127.0.0.1:9/',
    actions: [{ ...action, text: { type: 'plain_text', text: 'Approve' }, action_ts: ts }],
  };
}
