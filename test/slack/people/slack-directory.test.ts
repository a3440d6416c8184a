import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { createWorkspace } from '../../../src/playground/workspace/create-workspace.ts';
import {
  DEFAULT_MEMBERS,
  type MemberSeed,
} from '../../../src/playground/workspace/workspace-seed.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createSlackDirectory } from '../../../src/slack/people/slack-directory.ts';
import { connectSlack } from '../../../src/slack/transport/connect-slack.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const silent = () => {};

async function directoryOf(
  t: TestContext,
  adminUsers: readonly string[] = [],
  members?: readonly MemberSeed[],
) {
  const workspace = await createWorkspace({
    clock: createSystemClock(),
    ...(members && { members }),
  });
  t.after(() => workspace.stop());
  const connection = await connectSlack({
    config: { botToken: workspace.botToken, apiUrl: workspace.apiUrl, appToken: 'xapp-1' },
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  const clock = createManualClock();
  const directory = createSlackDirectory({
    connection,
    clock,
    log: { warn: silent },
    adminUsers: new Set(adminUsers),
  });
  const team = workspace.team.id;
  return {
    workspace,
    clock,
    directory,
    team,
    of: (name: string) => directory.profileOf({ team, user: workspace.member(name).id }),
    asked: () => workspace.journal.filter(({ name }) => name === 'users.info').length,
  };
}

describe('the directory', () => {
  it('returns the time zone of a person, if it is valid', async (t) => {
    const zones: Readonly<Record<string, string>> = {
      requester: 'Asia/Kolkata',
      admin: 'Nowhere/At all',
    };
    const members = DEFAULT_MEMBERS.map((member) => ({
      ...member,
      tz: zones[member.name] ?? 'UTC',
    }));
    const { of } = await directoryOf(t, [], members);
    assert.equal((await of('requester')).timezone, 'Asia/Kolkata');
    assert.equal((await of('admin')).timezone, undefined);
  });

  it('distinguishes members, admins, guests, strangers, bots and deactivated people', async (t) => {
    const { workspace, directory, team, of } = await directoryOf(t);
    workspace.changeMember('outsider', { deleted: true });
    const profiles = Object.fromEntries(
      await Promise.all(
        ['requester', 'admin', 'guest', 'stranger', 'outsider'].map(async (name) => {
          const { standing, isAdmin } = await of(name);
          return [name, `${standing}${isAdmin ? ', admin' : ''}`];
        }),
      ),
    );
    assert.deepEqual(profiles, {
      requester: 'member',
      admin: 'member, admin',
      guest: 'guest',
      stranger: 'stranger',
      outsider: 'gone',
    });
    const bot = await directory.profileOf({ team, user: workspace.app.botUserId });
    assert.equal(bot.standing, 'bot');
    const nobody = await directory.profileOf({ team, user: 'U0NOBODY' });
    assert.equal(nobody.standing, 'stranger');
  });

  it('treats people of ADMIN_USERS as admins if they are members', async (t) => {
    const { of } = await directoryOf(t, ['U0REQUESTER', 'U0GUEST']);
    assert.equal((await of('requester')).isAdmin, true);
    assert.equal((await of('guest')).isAdmin, false);
  });

  it('makes no request about people of another team', async (t) => {
    const { directory, asked } = await directoryOf(t);
    const profile = await directory.profileOf({ team: 'T0OTHER', user: 'U0REQUESTER' });
    assert.deepEqual(profile, { standing: 'stranger', isAdmin: false });
    assert.equal(asked(), 0);
  });

  it('asks once in five minutes, also for simultaneous lookups', async (t) => {
    const { workspace, clock, of, asked } = await directoryOf(t);
    await Promise.all([of('requester'), of('requester'), of('requester')]);
    assert.equal(asked(), 1);
    workspace.changeMember('requester', { isGuest: true });
    await clock.advance(299_999);
    assert.equal((await of('requester')).standing, 'member');
    await clock.advance(1);
    assert.equal((await of('requester')).standing, 'guest');
    assert.equal(asked(), 2);
  });

  it('throws Slack’s error, and asks again the next time', async (t) => {
    const { workspace, of } = await directoryOf(t);
    workspace.faults.api('users.info', { kind: 'rate-limited', retryAfterS: 7 }, 1);
    await assert.rejects(
      () => of('requester'),
      (error) => error instanceof ChatError && error.retryAfterMs === 7_000,
    );
    workspace.faults.api('users.info', { kind: 'status', status: 500 }, 1);
    await assert.rejects(() => of('requester'), /did not answer as it should/);
    assert.equal((await of('requester')).standing, 'member');
  });

  it('times out early enough for a click', async (t) => {
    const { workspace, clock, of } = await directoryOf(t);
    workspace.faults.api('users.info', { kind: 'hang' }, 1);
    const asking = assert.rejects(() => of('requester'), /did not answer in time/);
    await clock.advance(1_500);
    await asking;
    assert.equal(clock.pendingCount, 0);
  });
});
