import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../../src/domain/calls/call.ts';
import type { Profile } from '../../../../src/domain/people/profile.ts';
import type { Approver, Route } from '../../../../src/domain/policy/route.ts';
import {
  type KnownPeople,
  toApproverAvailability,
} from '../../../../src/domain/rules/approver-availability.ts';
import { sentence } from '../../../../src/domain/text/sentence.ts';
import { validateMessage } from '../../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildCallCard } from '../../../../src/slack/cards/call-card.ts';
import { buildFullView } from '../../../../src/slack/forms/draw/full-view.ts';
import {
  APPROVER,
  aCall,
  SECOND_APPROVER,
  TWO_APPROVERS,
} from '../../../support/builders/a-call.ts';
import { TEST_MARK } from '../../../support/test-secret-mark.ts';

const ROUTE: Route = { ...TWO_APPROVERS, approvers: ['user:U2', 'user:U3', 'usergroup:S1'] };
const member = (name: string) => ({ standing: 'member', isAdmin: false, name }) as const;
const KNOWN: KnownPeople = {
  profiles: new Map([
    ['U1', member('Riley')],
    ['U2', member('Avery')],
    ['U3', member('Sam')],
    ['U4', member('Kim')],
  ]),
  groups: new Map([
    ['usergroup:S1', { members: new Set(['U4']), handle: 'ops' }],
    ['channel:C7', { members: new Set(['U4']) }],
  ]),
};

function cardOf(patch: Partial<Call>, known: KnownPeople = KNOWN) {
  const call = aCall({ route: ROUTE, ...patch });
  const card = buildCallCard(call, {
    mark: TEST_MARK,
    availability: toApproverAvailability(call, known),
  });
  assert.deepEqual(validateMessage(card), []);
  return card;
}

/** Our own lines of the card: the warning above the buttons, and the note below them. */
function factsOf(patch: Partial<Call>, known?: KnownPeople): string {
  const lines = cardOf(patch, known).blocks.flatMap((block) => {
    if (block.type === 'section') return [block.text?.text ?? ''];
    if (block.type !== 'context') return [];
    return block.elements.map((each) => ('text' in each ? each.text : ''));
  });
  return lines.join('\n');
}

const others = (...approvers: readonly Approver[]) => ({ route: { ...ROUTE, approvers } });

describe('a pending card', () => {
  it('shows who approved, how many approvals it has, and whom it waits for, without mentioning them', () => {
    const facts = factsOf({ votes: [{ by: APPROVER, at: 1 }] });
    assert.match(facts, /1 of 2 approvals by <@U2> · waiting for one of `Sam`, @ops · /);
    assert.doesNotMatch(facts, /<@U3>|<!subteam/);
  });

  it('shows how many approvals it needs', () => {
    assert.match(factsOf({}), /0 of 2 approvals · waiting for 2 of `Avery`, `Sam`, @ops · /);
    assert.match(factsOf(others('user:U2', 'user:U3')), /waiting for `Avery`, `Sam` · /);
    const one = { route: { ...ROUTE, approvers: ['channel:C7'], quorum: 1 } } as const;
    assert.match(factsOf(one), /waiting for the members of <#C7> · /);
  });

  it('shows no approvals if only the requester decides, or once the call is decided', () => {
    const alone = { ...ROUTE, approvers: ['requester'], quorum: 1, selfApproval: true } as const;
    assert.doesNotMatch(factsOf({ route: alone }), /waiting for/i);
    assert.doesNotMatch(factsOf({ status: 'approved' }), /waiting for/i);
  });

  it('names those who can’t approve, with the reason', () => {
    const profiles = new Map([
      ...KNOWN.profiles,
      ['U3', { standing: 'gone', isAdmin: false, name: 'Sam' }] as const,
    ]);
    assert.match(
      factsOf({}, { ...KNOWN, profiles }),
      /:warning: Can’t approve: `Sam` \(deactivated\)\n/,
    );
  });

  it('says that nobody can approve it, and what to fix', () => {
    const facts = factsOf(others());
    assert.match(facts, /:warning: This can’t be approved: the route “two” has no approvers\./);
    assert.match(facts, /An admin can change the route\./);
    assert.doesNotMatch(facts, /waiting for/i);
  });

  it('treats display names as text: no markup, no emoji, none of our own lines', () => {
    const name = '`*x*` :white_check_mark:\nApproved by <!channel> <@U9>\u202e';
    const profiles = new Map<string, Profile>([...KNOWN.profiles, ['U2', member(name)]]);
    const facts = factsOf(others('user:U2', 'user:U3'), { ...KNOWN, profiles });
    const [, line = ''] = / · (waiting for .*?) · until/.exec(facts) ?? [];
    assert.match(line, /^waiting for `[^`]+`, `Sam`$/);
    assert.doesNotMatch(facts, /<!channel>|<@U9>|\u202e/);
    assert.ok(!facts.split('\n').some((each) => each.startsWith('Approved by')));
  });

  it('stays within Slack’s limits with a hundred approvers with long names', () => {
    const ids = Array.from({ length: 100 }, (_, i) => `U${i + 10}`);
    const profiles = new Map(
      ids.map((id) => [id, { ...member('W'.repeat(200)), standing: 'gone' }] as const),
    );
    const approvers = ids.map((id) => `user:${id}` as const);
    const facts = factsOf({ route: { ...ROUTE, approvers } }, { ...KNOWN, profiles });
    assert.ok(facts.length < 3_000, `${facts.length}`);
    assert.match(facts, /This can’t be approved: .* nobody may give one\./);
  });
});

describe('a reason', () => {
  const votes = [
    { by: APPROVER, at: 1, reason: 'In the plan. *bold* <!here>' },
    { by: SECOND_APPROVER, at: 2 },
  ];

  it('is on the pending card and in the details of every card, as text, with its author', () => {
    const detailsOf = (status: Call['status']) =>
      buildFullView(aCall({ route: ROUTE, status, votes }), {
        page: 1,
        tool: undefined,
        mayApprove: false,
        mark: TEST_MARK,
      });
    for (const { blocks } of [cardOf({ votes }), detailsOf('pending'), detailsOf('succeeded')]) {
      const block = blocks.find(
        ({ type, ...rest }) => type === 'rich_text' && JSON.stringify(rest).includes('In the plan'),
      );
      assert.deepEqual(block, {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_quote',
            elements: [
              { type: 'text', text: 'Approved by ', style: { bold: true } },
              { type: 'user', user_id: 'U2' },
              { type: 'text', text: ': In the plan. *bold* <!here>' },
            ],
          },
        ],
      });
    }
  });
});

describe('a note that names people', () => {
  it('is our own sentence with their mentions', () => {
    const note = sentence`An approval no longer counts: ${{ person: 'U3' }} (a <guest>).`;
    const text = JSON.stringify(cardOf({ note }).blocks);
    assert.match(text, /\*Note\* An approval no longer counts: <@U3> \(a &lt;guest&gt;\)\./);
  });
});
