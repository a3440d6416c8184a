import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAuthorize } from '../../../src/desk/decisions/authorize.ts';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import type { Directory } from '../../../src/domain/ports/directory.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import {
  APPROVER,
  aCall,
  OUTSIDER,
  REQUESTER,
  TWO_APPROVERS,
} from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const CALL = aCall({ route: { ...TWO_APPROVERS, approvers: ['usergroup:S1', 'requester'] } });

function authorizeWith(directory: Directory) {
  return createAuthorize({ directory, log });
}

describe('authorize()', () => {
  it('uses cached group members to allow a person, and looks them up again before it refuses one', async () => {
    const directory = createTestDirectory();
    directory.setGroup('usergroup:S1', ['U2']);
    const authorize = authorizeWith(directory);
    const ages = () => directory.askedGroups.map(({ asking }) => asking.maxAgeMs);
    assert.equal((await authorize(CALL, APPROVER, 'approve')).permission.kind, 'allowed');
    assert.deepEqual(ages(), [60_000]);
    assert.equal((await authorize(CALL, OUTSIDER, 'approve')).permission.kind, 'not-allowed');
    assert.deepEqual(ages(), [60_000, 60_000, 5_000]);
  });

  it('allows a person whom only the new lookup lists', async () => {
    const directory = createTestDirectory();
    const old = { members: new Set<string>() };
    const groupOf: Directory['groupOf'] = async (_group, { maxAgeMs = 0 } = {}) =>
      maxAgeMs > 5_000 ? old : { members: new Set(['U2']) };
    const authorize = authorizeWith({ ...directory, groupOf });
    assert.equal((await authorize(CALL, APPROVER, 'approve')).permission.kind, 'allowed');
  });

  it('looks up no group if the person is named or the route lacks the decision', async () => {
    const directory = createTestDirectory();
    directory.failGroups(new ChatError('temporary', 'Slack is down.'));
    const authorize = authorizeWith(directory);
    assert.equal((await authorize(CALL, REQUESTER, 'reply')).permission.kind, 'allowed');
    const none = aCall({ route: { ...TWO_APPROVERS, approvers: ['usergroup:S1'], decisions: [] } });
    assert.equal((await authorize(none, OUTSIDER, 'edit')).permission.kind, 'not-allowed');
    assert.deepEqual(directory.askedGroups, []);
  });

  it('reports which lookup failed, and allows nothing then', async () => {
    const directory = createTestDirectory();
    const authorize = authorizeWith(directory);
    const error = new ChatError('temporary', 'Slack is down.');
    directory.failGroups(error);
    const group = await authorize(CALL, APPROVER, 'approve');
    assert.equal(group.failure, error);
    assert.equal(group.permission.kind, 'not-allowed');
    directory.failWith(error);
    const person = await authorize(CALL, REQUESTER, 'approve');
    assert.equal(person.failure, error);
    assert.ok(person.permission.kind === 'nobody');
    assert.match(plainSentence(person.permission.why), /can’t look you up/);
  });
});
