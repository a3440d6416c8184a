/** Actions of people, time and faults on a world, and their expected results. */
import assert from 'node:assert/strict';
import type { Desk } from '../../../src/desk/desk.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import { runCallKey } from '../../../src/domain/ports/agenda.ts';
import type { Fault } from '../lab/lab-process.ts';
import { LEASE_OVER_MS } from '../lab/lab-world.ts';
import { type Action, type Ask, findCall, toAsk } from './asks.ts';
import { attemptOf, isOver } from './expected-call.ts';
import { compare, countEffects, keyOf, readCalls, type Side, TEAM } from './side.ts';

/** What happens beside an action. */
export interface Circumstances {
  readonly twice: boolean;
  readonly fault: Fault | undefined;
}

/** Back-offs and hanging calls end within it. */
const OVER_MS = 50_000;
const TAMPERED_NOTE = 'evil';

/** Does it on one side, advances the model to the expected state, and compares. */
export async function act(side: Side, action: Action, circumstances: Circumstances): Promise<void> {
  const { expected, world } = side;
  const ask = toAsk(side, action);
  if (ask) await askUnder(side, ask, circumstances);
  else await doAction(side, action);
  assert.equal(expected.now, world.clock.now());
  await compare(side);
}

async function doAction(side: Side, action: Action): Promise<void> {
  const { expected, world } = side;
  switch (action.kind) {
    case 'mode':
      world.tools.mode = action.mode;
      expected.mode = action.mode;
      return;
    case 'pass':
      await world.advance(action.ms);
      expected.advance(action.ms);
      return;
    case 'crash':
      await endProcesses(side, LEASE_OVER_MS);
      expected.settle();
      return;
    case 'sleep':
      return await sleepPastDue(side, action);
    case 'thaw':
      return await thaw(side);
    case 'lose':
      world.loseCheckpoints();
      return;
    case 'tamper':
      return await tamper(side, action);
    default:
      throw new Error(`Nobody knows how ${action.kind} happens.`);
  }
}

async function endProcesses(
  side: Side,
  downMs: number,
  before?: (desk: Desk) => Promise<unknown>,
): Promise<void> {
  const { expected, world } = side;
  // The ledger tells which work its process had in progress.
  await noteInterrupted(side);
  await world.restart(downMs, before);
  expected.now = world.clock.now();
}

async function noteInterrupted(side: Side): Promise<void> {
  const calls = await readCalls(side);
  const running = calls
    .filter(({ status }) => status === 'running')
    .map((call) => attemptOf({ key: keyOf(call), attempt: call.attempt }));
  // With two calls at once, one store had the first before the fault, and the other one the second.
  const counts = countEffects(side, calls);
  const found = running.map((attempt) => `${attempt} after ${counts.get(attempt) ?? 0}`);
  side.faults.push(`interrupted: ${found.sort()}`);
  side.expected.interrupt(running);
}

async function sleepPastDue(side: Side, action: Extract<Action, { kind: 'sleep' }>): Promise<void> {
  const { expected } = side;
  const said = toAsk(side, { ...action, kind: 'say', text: 'talk late' });
  await endProcesses(side, action.ms, said?.ask);
  said?.expect();
  // What fell due meanwhile and the message are found at once: an ended call is not answered any more.
  expected.overdue();
  expected.settle();
}

async function thaw(side: Side): Promise<void> {
  const { world } = side;
  const before = world.tools.effects.length;
  // A process suspended between its last check and the tool cannot know what happened meanwhile.
  for (const point of await world.thaw()) side.excused.add(point);
  const isExcused = side.excused.has('tool.run');
  const late = world.tools.effects.length - before;
  assert.ok(
    late === 0 || isExcused,
    'I2: a worker that had stood still ran a call that was not its own',
  );
}

async function tamper(side: Side, action: Extract<Action, { kind: 'tamper' }>): Promise<void> {
  const { expected, tampered, world } = side;
  const call = await findCall(side, action.call);
  const its = expected.calls.find(({ key }) => key === action.call);
  if (!call || its?.status !== 'pending') return;
  const args = JSON.stringify({ note: TAMPERED_NOTE });
  const revision = call.revision + 1;
  const by = { team: TEAM, user: 'U2' };
  const isApproved = action.to === 'approved';
  const votes = isApproved ? [{ by, at: world.clock.now() }] : call.votes;
  const changed: Call = { ...call, args, revision, status: action.to, votes };
  const wakes = isApproved ? [{ key: runCallKey(call), dueAt: world.clock.now() }] : [];
  const cause = isApproved ? 'approve' : 'vote';
  assert.ok(await world.store().ledger.write(call, [{ cause, call: changed }], { wakes }));
  tampered.set(action.call, (tampered.get(action.call) ?? 0) + 1);
  its.isTampered = true;
  its.note = TAMPERED_NOTE;
  its.status = action.to;
  if (isApproved) its.votes = ['U2'];
  await world.settle();
  expected.settle();
}

/** The result of a request: an answer, an error, or nothing yet. */
interface Asked {
  answer?: string;
  hasFailed: boolean;
}

function askOnce(side: Side, { ask }: Ask): Asked {
  const asked: Asked = { hasFailed: false };
  ask(side.world.running().desk).then(
    (answer) => {
      asked.answer = typeof answer === 'string' ? answer : answer.kind;
    },
    () => {
      asked.hasFailed = true;
    },
  );
  return asked;
}

async function askUnder(side: Side, ask: Ask, { fault, twice }: Circumstances): Promise<void> {
  const { expected, world } = side;
  const { process } = world.running();
  const isEarly = fault !== undefined && ask.isRepeatable && fault.what !== 'freeze';
  if (isEarly) process.arm(fault);
  const times = twice && ask.isRepeatable && !fault ? [1, 2] : [1];
  const asked = times.map(() => askOnce(side, ask));
  const answers = times.map(() => ask.expect());
  if (!isEarly) {
    while (asked.some(({ answer, hasFailed }) => answer === undefined && !hasFailed)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    process.arm(fault);
  }
  await world.settle();
  const fired = process.fired();
  process.disarm();
  if (fired) return await recover(side, ask, fired, asked);
  expected.settle();
  for (const { answer } of asked) ask.note?.(String(answer));
  assert.deepEqual(asked.map(({ answer }) => answer).sort(), answers.sort());
}

/** Lets the world settle after a fault; people without a response ask again. */
async function recover(side: Side, ask: Ask, fault: Fault, asked: readonly Asked[]): Promise<void> {
  const { expected, world } = side;
  side.faults.push(`${fault.what} ${fault.side} ${fault.point}`);
  const isUnanswered = () => asked.some(({ answer }) => answer === undefined);
  if (fault.what === 'kill') await endProcesses(side, LEASE_OVER_MS);
  if (fault.what === 'freeze') {
    await noteInterrupted(side);
    await world.takeOver();
    expected.now = world.clock.now();
  }
  if (fault.what !== 'hang' && isUnanswered()) {
    // Calls cut off by the fault may be unknown by now, so the same request can cover more than before.
    expected.settle();
    askOnce(side, ask);
    ask.expect();
    await world.settle();
  }
  expected.settle();
  if (fault.what === 'fail' || fault.what === 'hang') {
    await world.advance(OVER_MS);
    expected.advance(OVER_MS);
  }
}

/** Ends everything open, without faults. */
export async function drain(side: Side): Promise<void> {
  const plain = { twice: false, fault: undefined };
  await act(side, { kind: 'thaw' }, plain);
  await act(side, { kind: 'mode', mode: 'well' }, plain);
  await act(side, { kind: 'resume' }, plain);
  await act(side, { kind: 'release', ends: 'well' }, plain);
  const { inbox } = side.world.store();
  for (let hours = 0; hours < 40 && (await isAnythingOpen(side)); hours += 1) {
    await act(side, { kind: 'pass', ms: HOUR_AND_MORE_MS }, plain);
  }
  assert.deepEqual(await inbox.threadsWithMessages(), [], 'I10: a thread never goes on');
  // Posts and renderings that nobody waits for happen in their turn.
  await act(side, { kind: 'pass', ms: 60_000 }, plain);
}

/** Whether a turn or a call is open: a call that was run again may outlive its turn. */
async function isAnythingOpen(side: Side): Promise<boolean> {
  if ((await side.world.store().inbox.threadsWithMessages()).length > 0) return true;
  return (await readCalls(side)).some((call) => !isOver(call));
}

/** All current deadlines end within it, and no new ones. */
export const HOUR_AND_MORE_MS = 3_720_000;
