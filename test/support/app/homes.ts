import type { KnownBlock } from '@slack/types';
import type { InnerStage } from '../../journeys/field-reports/inner-stage.ts';
import { allText } from './scene.ts';

/** What people see and press on App Home. */
export function onHomes(stageNow: () => InnerStage) {
  const blocksOf = (who: string) =>
    (stageNow().workspace.see(who).home?.blocks ?? []) as KnownBlock[];
  const home = (who: string) => allText({ text: '', blocks: blocksOf(who) });
  const published = () =>
    stageNow().workspace.journal.filter(
      ({ name, kind }) => kind === 'api' && name === 'views.publish',
    );
  return {
    blocksOf,
    home,
    published,
    idsOn: (who: string) =>
      blocksOf(who).flatMap(({ block_id: id = '' }) =>
        id.startsWith('waiting:') ? [id.slice('waiting:'.length)] : [],
      ),
    press: (who: string, actionId: string, blockId: string) =>
      stageNow().workspace.clickInHome(who, { actionId, blockId }),
    shows: (who: string, part: string) =>
      stageNow().workspace.waitFor(() => (home(who).includes(part) ? true : undefined), {
        describe: () => home(who),
      }),
    async openHome(who: string): Promise<void> {
      const before = published().length;
      const { workspace } = stageNow();
      await workspace.openHome(who);
      const isAnswered = () =>
        published()
          .slice(before)
          .some(({ answer }) => answer !== undefined);
      await workspace.waitFor(() => (isAnswered() ? true : undefined));
    },
  };
}
