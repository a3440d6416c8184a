/** A policy in the real app for the calls of programs: additional arguments, and names that they share. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCountersign } from '../../../src/commands/run-countersign.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { type Stage, setStage } from '../../support/app/stage.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { until } from '../../support/until.ts';

const POLICY = `version: 1
rules:
  - tools: [deploy]
    when: 'args.env == "prod" || args.list.exists(x, x.env == "prod")'
    gate: refuse
    reason: Never to production.
  - { tools: [tidy], when: '!args.external && args.amount < 100', agent: "key:*", gate: run }
  - { tools: [shell], when: 'args.cmd.matches(r"\\A(rm|dd) ")', gate: refuse, reason: No such commands. }
  - { tools: [pay], agent: worker, gate: run }
  - { tools: [wipe], agent: worker, gate: refuse, reason: Workers wipe nothing. }
default: { gate: ask, route: requester }
`;

/** The API itself refuses `__proto__`. */
const OWN_KEYS = ['constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'] as const;

describe('a policy for calls of programs, over HTTP', () => {
  let stage: Stage;
  let temp: Awaited<ReturnType<typeof makeTempDir>>;
  let file = '';
  let owner = '';

  before(async () => {
    temp = await makeTempDir();
    file = join(temp.path, 'policy.yaml');
    await writeFile(file, POLICY);
    stage = await setStage('socket', { POLICY_FILE: file });
    owner = stage.workspace.see('requester').me.id;
  });
  after(async () => {
    await stage.close();
    await temp.remove();
  });

  /** Runs beside the app, as in another terminal; without `policy`, on a machine that does not have the file. */
  async function makeKey(name: string, policy: { readonly file?: string }) {
    const said: string[] = [];
    const print = (text: string) => void said.push(text);
    const channel = stage.workspace.channel('general').id;
    const options = ['--channels', channel, '--owner', owner, '--json'];
    const code = await runCountersign(['keys', 'create', '--name', name, ...options], {
      env: {
        DATA_DIR: join(stage.folder, 'data'),
        WORKSPACE_DIR: join(stage.folder, 'workspace'),
        ...(policy.file !== undefined && { POLICY_FILE: policy.file }),
      },
      clock: createSystemClock(),
      out: print,
      write: async (text) => print(text),
      err: print,
    });
    return { code, said: said.join('\n') };
  }

  async function ask(token: string, action: string, args: string) {
    const answer = await fetch(`${stage.app().url}/api/approvals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: `{"action": "${action}", "args": ${args}}`,
    });
    const { error, outcome, status, title } = JSON.parse(await answer.text());
    assert.equal(answer.status, 201, title);
    return { status, why: JSON.stringify(outcome ?? error ?? '') };
  }

  let token = '';
  it('has keys for the tests', async () => {
    const made = await makeKey('bot', { file });
    assert.equal(made.code, 0, made.said);
    token = JSON.parse(made.said).token;
  });

  for (const key of OWN_KEYS) {
    it(`an argument “${key}” does not bypass a refusal`, async () => {
      for (const args of [
        `{"env": "prod", "${key}": 1}`,
        `{"${key}": {"${key}": null}, "env": "prod"}`,
        `{"env": "test", "list": [{"env": "prod", "${key}": 1}]}`,
      ]) {
        const { status, why } = await ask(token, 'deploy', args);
        assert.deepEqual([status, /Never to production/.test(why)], ['refused', true], args);
      }
    });
  }

  it('a refusal whose condition cannot be evaluated refuses, and says why', async () => {
    const { status, why } = await ask(token, 'deploy', '{"list": 5}');
    assert.equal(status, 'refused');
    assert.match(
      why,
      /Never to production\. \(The policy’s condition could not be evaluated, rule 1/,
    );
  });

  it('an allow rule allows nothing if its condition is false or cannot be evaluated', async () => {
    const statusOf = async (args: string) => (await ask(token, 'tidy', args)).status;
    assert.equal(await statusOf('{"external": false, "amount": 5}'), 'approved');
    assert.equal(await statusOf('{"external": true, "amount": 5}'), 'pending');
    assert.equal(await statusOf('{"amount": 5}'), 'pending');
    assert.equal(await statusOf('{"external": false, "amount": "5"}'), 'pending');
  });

  it('a pattern has the semantics of RE2', async () => {
    assert.equal((await ask(token, 'shell', '{"cmd": "rm -rf /"}')).status, 'refused');
    assert.equal((await ask(token, 'shell', '{"cmd": "A rm x"}')).status, 'pending');
  });

  it('a key cannot be created with a name that a rule uses for a helper', async () => {
    await writeFile(file, POLICY.replaceAll('agent: worker', 'agent: "work*"'));
    const refused = await makeKey('workbench', { file });
    assert.equal(refused.code, 1);
    assert.match(
      refused.said,
      /--name can’t be “workbench”: rule 4, line 9 of .*policy\.yaml says “work\*”, which means helper:work\*\. Choose another name, or add the kind/,
    );
    await until(
      () => stage.app().output().split('The policy in policy.yaml is in force.').length > 2,
    );
  });

  it('a key created elsewhere with such a name gets no grants of the helper, and all its refusals', async () => {
    const made = await makeKey('workbench', {});
    assert.equal(made.code, 0, made.said);
    const other = JSON.parse(made.said).token;
    assert.equal((await ask(other, 'pay', '{}')).status, 'pending');
    const { status, why } = await ask(other, 'wipe', '{}');
    assert.equal(status, 'refused');
    assert.match(
      why,
      /“work\*” means helper:work\* in the policy, but key:workbench has that name too\./,
    );
  });

  it('the policy is rejected while a name in it is ambiguous, and the app does not start', async () => {
    await writeFile(file, `${POLICY.replaceAll('agent: worker', 'agent: "work*"')}# changed\n`);
    await until(() =>
      /“work\*” means helper:worker and key:workbench\. Write which, like helper:work\* or key:work\*\./.test(
        stage.app().output(),
      ),
    );
    await stage.app().stop();
    await assert.rejects(
      stage.startAgain(),
      /The policy file can't be used:\s+policy\.yaml:9:28: “work\*” means helper:worker and key:workbench/,
    );
    await writeFile(file, POLICY.replaceAll('agent: worker', 'agent: "helper:work*"'));
    await stage.startAgain();
    assert.equal((await ask(token, 'wipe', '{}')).status, 'pending');
  });
});
