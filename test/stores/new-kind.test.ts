/** A new kind of record costs one file: `timezones.ts` is the whole example, and it works on both backends. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DamagedRecordError } from '../../src/domain/audit/damaged-record.ts';
import { openForCommand } from '../../src/stores/open-for-command.ts';
import { APPROVER, OUTSIDER, REQUESTER } from '../support/builders/a-call.ts';
import { openRawStore } from './raw-store.ts';
import { SILENT } from './redis/open-store.ts';
import { createTimezones } from './timezones.ts';

const BERLIN = 'Europe/Berlin';
const LIMA = 'America/Lima';
const aZone = (user: string, zone: string, revision = 1) => ({ who: `T1/${user}`, zone, revision });

for (const kind of ['SQLite', 'Redis'] as const) {
  describe(`a new kind of record, on ${kind}`, () => {
    /** Two processes that work on the records of one workspace. */
    async function openTwo(t: Parameters<typeof openRawStore>[0]) {
      const raw = await openRawStore(t, kind);
      await (await raw.open()).belongTo({ workspace: 'T1', enterprise: 'E1' });
      const open = async () => {
        const { close, records } = await openForCommand(raw.place, 'write', SILENT);
        return { close, timezones: createTimezones(records) };
      };
      const [one, other] = [await open(), await open()];
      raw.beforeEnd(async () => {
        await one.close();
        await other.close();
      });
      return { raw, one: one.timezones, other: other.timezones };
    }

    test('is read as written, also by other processes, until it is removed', async (t) => {
      const { one, other } = await openTwo(t);
      assert.equal(await one.of(REQUESTER), undefined);
      assert.equal(await one.keep(aZone('U1', BERLIN)), true);
      assert.deepEqual(await other.of(REQUESTER), aZone('U1', BERLIN));
      assert.equal(await other.forget(REQUESTER), true);
      assert.equal(await one.forget(REQUESTER), false);
      assert.equal(await one.of(REQUESTER), undefined);
      assert.deepEqual(await one.livingIn(BERLIN), []);
    });

    test('is written by the first of two writers, and the second is refused', async (t) => {
      const { one, other } = await openTwo(t);
      await one.keep(aZone('U1', BERLIN));
      const zones = [LIMA, 'Asia/Tokyo'];
      const done = await Promise.all(
        zones.map((zone, i) => (i === 0 ? one : other).keep(aZone('U1', zone, 2))),
      );
      assert.deepEqual([...done].sort(), [false, true]);
      const won = zones[done.indexOf(true)] ?? '';
      assert.deepEqual(await one.of(REQUESTER), aZone('U1', won, 2));
      assert.equal(await one.keep(aZone('U1', BERLIN, 2)), false);
      assert.equal(await one.keep(aZone('U1', BERLIN, 3)), true);
    });

    test('is found by its index, in order and under its current values', async (t) => {
      const { one, other } = await openTwo(t);
      for (const { user } of [OUTSIDER, REQUESTER, APPROVER]) await one.keep(aZone(user, BERLIN));
      assert.deepEqual(await other.livingIn(BERLIN), ['T1/U1', 'T1/U2', 'T1/U9']);
      await other.keep(aZone('U2', LIMA, 2));
      assert.deepEqual(await one.livingIn(BERLIN), ['T1/U1', 'T1/U9']);
      assert.deepEqual(await one.livingIn(LIMA), ['T1/U2']);
    });

    test('names its workspace, and reports damage, without extra code', async (t) => {
      const { one, raw } = await openTwo(t);
      await one.keep(aZone('U1', BERLIN));
      const document = (await raw.documents()).get('timezone/T1/U1') ?? '';
      const owner = { workspace: 'T1', enterprise: 'E1' };
      assert.deepEqual(JSON.parse(document), { ...owner, ...aZone('U1', BERLIN) });
      await raw.overwrite('timezone/T1/U1', (text) => text.slice(0, -3));
      await assert.rejects(one.of(REQUESTER), DamagedRecordError);
      await assert.rejects(one.livingIn(BERLIN), DamagedRecordError);
    });
  });
}
