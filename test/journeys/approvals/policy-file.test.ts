/** A policy file in the real app: names looked up in Slack, rules applied, and a change of the file. */
import assert from 'node:assert/strict';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { allText } from '../../support/app/scene.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { until } from '../../support/until.ts';
import { type FieldStage, sayCall, setFieldStage } from '../field-reports/field-stage.ts';

const POLICY = `version: 1
routes:
  lead: { approvers: ["@approver"], deadline: 2h }
rules:
  - { tools: [write_file], when: 'size(args.content) > 3', gate: ask, route: lead, risk: high }
  - { tools: [write_file], gate: run }
default: { gate: refuse, reason: Only files are written here. }
`;

describe('a policy file', () => {
  let stage: FieldStage;
  let temp: Awaited<ReturnType<typeof makeTempDir>>;

  before(async () => {
    temp = await makeTempDir();
    const path = join(temp.path, 'policy.yaml');
    await writeFile(path, POLICY);
    stage = await setFieldStage('http', { POLICY_FILE: path });
  });
  after(async () => {
    await stage.close();
    await temp.remove();
  });

  it('allows, asks the person with the given handle, and refuses', async () => {
    stage.play(sayCall('write_file', { path: 'a.txt', content: 'abc' }), sayText('Short.'));
    await stage.answer(await stage.ask('requester', 'a short one'), 'Short.');
    assert.equal(await stage.file('a.txt'), 'abc');

    stage.play(sayCall('write_file', { path: 'b.txt', content: 'abcd' }), sayText('Long.'));
    const place = await stage.ask('requester', 'a long one');
    const card = await stage.card(place, 'Write b.txt', 'Approve');
    assert.match(allText(card), /^⚠ Write b\.txt/);
    await stage.press('requester', card, 'call.approve');
    await stage.privately('requester', `<@${stage.workspace.member('approver').id}>`);
    assert.equal(await stage.file('b.txt'), undefined);
    await stage.press('approver', card, 'call.approve');
    await stage.answer(place, 'Long.');
    assert.equal(await stage.file('b.txt'), 'abcd');

    stage.play(sayCall('list_files', {}), sayText('Refused.'));
    await stage.answer(await stage.ask('requester', 'what is there'), 'Refused.');
    assert.match(stage.toolMessages().at(-1) ?? '', /Only files are written here\./);
  });

  it('applies without a restart when it changes, and is ignored when broken', async () => {
    const path = join(temp.path, 'policy.yaml');
    const output = () => stage.app().output();
    await writeFile(path, POLICY.replace('gate: run', 'gate: no'));
    await until(() => output().includes('the old one stays in force'));
    stage.play(sayCall('write_file', { path: 'c.txt', content: 'abc' }), sayText('Still runs.'));
    await stage.answer(await stage.ask('requester', 'after the broken one'), 'Still runs.');

    await writeFile(path, POLICY.replace('gate: run', 'gate: refuse, reason: Not today.'));
    await until(() => output().split('The policy in policy.yaml is in force.').length > 2);
    stage.play(sayCall('write_file', { path: 'd.txt', content: 'abc' }), sayText('Not now.'));
    await stage.answer(await stage.ask('requester', 'after the change'), 'Not now.');
    assert.match(stage.toolMessages().at(-1) ?? '', /Not today\./);
    assert.equal(await stage.file('d.txt'), undefined);
    assert.equal(await stage.file('c.txt'), 'abc');
  });

  it('is not applied if a link puts it among the files of the agent', async () => {
    const path = join(temp.path, 'policy.yaml');
    const inside = join(stage.folder, 'workspace', 'policy.yaml');
    await writeFile(inside, 'version: 1\nrules:\n  - { tools: [write_file], gate: run }\n');
    await rm(path);
    await symlink(inside, path);
    await until(() => stage.app().output().includes('is inside WORKSPACE_DIR'));
    stage.play(sayCall('write_file', { path: 'e.txt', content: 'abc' }), sayText('Still not.'));
    await stage.answer(await stage.ask('requester', 'after the link'), 'Still not.');
    assert.equal(await stage.file('e.txt'), undefined);
  });
});
