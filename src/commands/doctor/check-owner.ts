import type { Config } from '../../config.ts';
import type { SlackConnection } from '../../slack/connect-slack.ts';
import { openBeside } from '../../stores/open-beside.ts';
import { NoRecordsError } from '../../stores/opened-records.ts';
import { SILENT_LOG } from '../../stores/silent-log.ts';
import { type Finding, messageOf } from './finding.ts';

/** Checks that the records belong to the workspace of the token; finds nothing where there are none yet. */
export async function checkOwner(
  config: Config,
  connection: SlackConnection | undefined,
): Promise<readonly Finding[]> {
  if (!connection) return [];
  const { enterprise, team } = connection.identity;
  try {
    const opened = await openBeside(config, 'read', SILENT_LOG);
    try {
      await opened.checkOwner({ workspace: team, enterprise });
    } finally {
      await opened.close();
    }
    return [];
  } catch (error) {
    // That they can't be opened is told by the check of the store.
    if (error instanceof NoRecordsError) return [];
    return [{ status: 'problem', message: messageOf(error) }];
  }
}
