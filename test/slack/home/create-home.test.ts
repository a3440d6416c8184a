/** Who sees what and when: the Homes on the simulated workspace, with a manual clock. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { createWorkspace } from '../../../src/playground/workspace/create-workspace.ts';
import type { Workspace } from '../../../src/playground/workspace/workspace-port.ts';
import { DEFAULT_MEMBERS } from '../../../src/playground/workspace/workspace-seed.ts';
import { createHome, type Home } from '../../../src/slack/home/create-home.ts';
import { INITIAL_HOME } from '../../../src/slack/home/home-state.ts';
import type { AdminSection } from '../../../src/slack/home/load-home.ts';
import { connectSlack } from '../../../src/slack/transport/connect-slack.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { createFakeDesk, type FakeDesk } from '../support/fake-desk.ts';

const ROUND_MS = 15_000;
/** More people than one round updates. */
const CROWD = Array.from({ length: 25 }, (_, i) => `looker-${i}`);
const MEMBERS = [...DEFAULT_MEMBERS, ...CROWD.map((name) => ({ name, realName: name }))];

describe('the Homes of a workspace', () => {
  let workspace: Workspace;
  let clock: ManualClock;
  let desk: FakeDesk;
  let home: Home;
  let others: Home;
  let logged: string[];
  let adminPart: AdminSection | undefined;
  let reads: number;
  const approver = (): Person => personOf('approver');
  const personOf = (name: string): Person => ({
    team: workspace.team.id,
    user: workspace.member(name).id,
  });

  beforeEach(async () => {
    clock = createManualClock();
    workspace = await createWorkspace({ clock, members: MEMBERS });
    desk = createFakeDesk();
    reads = 0;
    desk.listRequested = async () => {
      reads += 1;
      return desk.asked;
    };
    logged = [];
    adminPart = undefined;
    const write = (_fields: object, message: string) => void logged.push(message);
    const log = { debug: () => {}, info: () => {}, warn: write, error: write };
    const config = { botToken: workspace.botToken, apiUrl: workspace.apiUrl };
    const { client } = await connectSlack({
      config: { ...config, clientPingTimeoutMs: 1_000, appToken: workspace.appToken },
      log,
    });
    const deps = { client, desk, clock, log };
    home = createHome({ ...deps, adminPart: async (person) => (await adminPart?.(person)) ?? [] });
    others = createHome(deps);
  });
  afterEach(async () => {
    await Promise.all([home.stop(), others.stop()]);
    await workspace.stop();
  });

  const setWaiting = (...calls: readonly Call[]) => {
    desk.waiting = { kind: 'page', calls };
  };
  const call = (name: string) => aCall({ id: `call_${name}`, tool: name });
  const published = () => workspace.journal.filter(({ name }) => name === 'views.publish');
  const seen = (name = 'approver') => JSON.stringify(workspace.see(name).home?.blocks ?? []);
  /** Advances the clock and waits until the due publishing has finished. */
  const pass = async (ms: number) => {
    await clock.advance(ms);
    await home.refresh(personOf('stranger'));
    for (let looks = 0; looks < 50; looks += 1) await new Promise((done) => setImmediate(done));
  };
  const waitForText = (part: string, name?: string) =>
    workspace.waitFor(() => seen(name).includes(part) || undefined, {
      describe: () => `${seen(name)}\n${logged.join('\n')}`,
    });

  it('show their content when opened, and update only for people who opened theirs recently', async () => {
    setWaiting(call('first'));
    await home.show(approver());
    assert.ok(seen().includes('first'));
    setWaiting(call('first'), call('second'));
    home.nudge();
    await pass(2_000);
    await waitForText('second');
    assert.equal(workspace.see('admin').home, undefined);
    await pass(15 * 60_000);
    setWaiting(call('third'));
    home.nudge();
    await pass(2 * ROUND_MS);
    assert.equal(clock.pendingCount, 0);
    assert.ok(!seen().includes('third'), 'Whoever has not looked for long opens it anew.');
  });

  it('publish only a few views for five hundred calls in a minute', async () => {
    await home.show(approver());
    for (let i = 0; i < 500; i += 1) {
      setWaiting(call(`call_${i}`));
      home.nudge();
      await clock.advance(120);
    }
    await pass(2 * ROUND_MS);
    await waitForText('call_499');
    const count = published().length;
    assert.ok(count >= 3 && count <= 8, `${count} views`);
    assert.ok(reads <= 10, `${reads} readings`);
  });

  it('publish nothing if the view is unchanged', async () => {
    setWaiting(call('first'));
    await home.show(approver());
    for (let i = 0; i < 5; i += 1) {
      home.nudge();
      await pass(ROUND_MS);
    }
    assert.equal(published().length, 1);
    assert.ok(reads > 1);
  });

  it('keep the result of a click until the next one', async () => {
    setWaiting(call('first'), call('second'));
    await home.show(approver(), undefined, 'You ignored `first`.');
    setWaiting(call('second'));
    home.nudge();
    await pass(2_000);
    await workspace.waitFor(() => !seen().includes('call_first') || undefined);
    assert.ok(seen().includes('You ignored `first`.'));
    await home.show(approver());
    assert.ok(!seen().includes('You ignored'));
  });

  it('leave a person to the replica that showed them Home last', async () => {
    setWaiting(call('first'));
    await home.show(approver());
    await others.show(approver());
    setWaiting(call('second'));
    home.nudge();
    await pass(2_000);
    await workspace.waitFor(() => published().at(-1)?.ok === false || undefined);
    assert.ok(seen().includes('first'), 'The other replica shows it.');
    others.nudge();
    await pass(2_000);
    await waitForText('second');
    const before = published().length;
    setWaiting(call('third'));
    home.nudge();
    await pass(2 * ROUND_MS);
    assert.equal(published().length, before);
  });

  it('wait as long as Slack asks, and publish then', async () => {
    setWaiting(call('first'));
    workspace.faults.api('views.publish', { kind: 'rate-limited', retryAfterS: 40 }, 1);
    await home.show(approver());
    await pass(39_000);
    assert.equal(workspace.see('approver').home, undefined);
    await pass(1_000);
    await waitForText('first');
    // After a lost response the published view is unknown: the next one replaces it.
    setWaiting(call('second'));
    workspace.faults.api('views.publish', { kind: 'lost' }, 1);
    home.nudge();
    await pass(ROUND_MS);
    await waitForText('second');
    setWaiting(call('third'));
    await pass(31_000);
    home.nudge();
    await pass(ROUND_MS);
    await waitForText('third');
  });

  it('show only the lists if Slack rejects the full view', async () => {
    setWaiting(call('first'));
    const text = 'y'.repeat(2_900);
    adminPart = async () =>
      Array.from({ length: 90 }, () => ({
        type: 'section',
        text: { type: 'mrkdwn', text },
      }));
    await home.show(approver());
    assert.match(seen(), /first.*Slack can’t show any more here/);
    assert.ok(!seen().includes('yyy'));
    assert.match(logged.join('\n'), /Slack rejected a Home/);
  });

  it('show the lists if the admin section can’t be read', async () => {
    setWaiting(call('first'));
    adminPart = async () => {
      throw new Error('The disk is full.');
    };
    await home.show(approver());
    assert.match(seen(), /first.*The admin section could not be loaded/);
  });

  it('say that nothing can be read, and update once it can', async () => {
    const { listWaiting } = desk;
    desk.listWaiting = async () => {
      throw new Error('The disk is full.');
    };
    await home.show(approver());
    assert.match(seen(), /can’t load your approvals right now/);
    assert.ok(!seen().includes('No approvals waiting'));
    home.nudge();
    await pass(2_000);
    desk.listWaiting = listWaiting;
    setWaiting(call('first'));
    await pass(ROUND_MS);
    await waitForText('first');
  });

  it('keep the last view while Slack gives incomplete answers, and update afterwards', async () => {
    desk.waiting = { kind: 'page', calls: [], warning: 'Slack did not tell.' };
    await home.show(approver());
    assert.ok(seen().includes('Slack did not tell.'), 'Who has just asked is told so.');
    setWaiting(call('first'));
    await pass(2_000);
    await waitForText('first');
    desk.waiting = { kind: 'nobody', why: 'Slack did not tell.', passes: true };
    home.nudge();
    await pass(ROUND_MS);
    assert.ok(seen().includes('first'));
    setWaiting(call('second'));
    await pass(ROUND_MS);
    await waitForText('second');
  });

  it('go back to the previous page when a page has become empty', async () => {
    const asked: (string | undefined)[] = [];
    desk.listWaiting = async (_person, { after }) => {
      asked.push(after);
      return { kind: 'page', calls: after === 'call_a' ? [call('first')] : [] };
    };
    await home.show(approver(), {
      ...INITIAL_HOME,
      view: 'for-you',
      waiting: ['call_a', 'call_b'],
    });
    // The first request is for the count.
    assert.deepEqual(asked, [undefined, 'call_b', 'call_a']);
    assert.match(seen(), /Page 2/);
  });

  it('take turns when many people look: each round updates some, and nobody is left out', async () => {
    for (const name of CROWD) await home.show(personOf(name));
    for (let round = 0; round < 3; round += 1) {
      const before = published().length;
      setWaiting(call(`round_${round}`));
      home.nudge();
      await pass(ROUND_MS);
      assert.equal(published().length - before, 20);
    }
    for (const name of CROWD) assert.match(seen(name), /round_[12]/, name);
  });

  it('are forgotten for people whose Home Slack rejects', async () => {
    await home.show({ team: workspace.team.id, user: 'U0NOBODY' });
    const before = reads;
    home.nudge();
    assert.equal(clock.pendingCount, 0);
    assert.deepEqual([reads, logged.at(-1)], [before, 'Slack rejects every Home of this person.']);
  });
});
