import type { Config } from '../../config/config.ts';
import type { SlackConnection } from '../../slack/transport/connect-slack.ts';
import { NoRecordsError } from '../../stores/command-records.ts';
import { openForCommand } from '../../stores/open-for-command.ts';
import { SILENT_LOG } from '../../stores/silent-log.ts';
import { type Finding, messageOf } from './finding.ts';

/**
 * Checks that the records belong to the workspace of the token. Without records there is nothing to
 * report.
 */
export async function checkInstallation(
  config: Config,
  connection: SlackConnection | undefined,
): Promise<readonly Finding[]> {
  if (!connection) return [];
  const { enterprise, team } = connection.identity;
  try {
    const opened = await openForCommand(config, 'read', SILENT_LOG);
    try {
      await opened.checkOwner({ workspace: team, enterprise });
    } finally {
      await opened.close();
    }
    return [];
  } catch (error) {
    // The store check reports records that cannot be opened.
    if (error instanceof NoRecordsError) return [];
    return [{ status: 'problem', message: messageOf(error) }];
  }
}
