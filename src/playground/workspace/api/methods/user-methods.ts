import { type Json, toFlag, toText } from '../../json-value.ts';
import type { DirectoryMember, SlackDirectory } from '../../state/slack-directory.ts';
import { IDENTITY } from '../../workspace-seed.ts';
import { type ApiMethods, slackError, slackOk } from '../api-method.ts';
import { toPage } from '../paging.ts';

/** `auth.test`, `team.info`, `bots.info`, and the methods about members and user groups. */
export function createUserMethods(
  directory: SlackDirectory,
  teamName: string,
  enterprise: string | undefined,
): ApiMethods {
  const { app, team } = IDENTITY;
  return {
    'auth.test': () =>
      slackOk({
        url: `https://${team.domain}.slack.com/`,
        team: teamName,
        user: app.botName,
        team_id: team.id,
        user_id: app.botUserId,
        bot_id: app.botId,
        app_id: app.id,
        is_enterprise_install: false,
        ...(enterprise === undefined ? {} : { enterprise_id: enterprise }),
      }),
    'team.info': () =>
      slackOk({ team: { id: team.id, name: teamName, domain: team.domain, email_domain: '' } }),
    'bots.info': (args) =>
      toText(args.bot) === app.botId
        ? slackOk({
            bot: { id: app.botId, app_id: app.id, user_id: app.botUserId, name: app.name },
          })
        : slackError('bot_not_found'),
    'users.info': (args) => {
      const found = directory.findMember(toText(args.user));
      return found === undefined ? slackError('user_not_found') : slackOk({ user: toUser(found) });
    },
    'users.list': (args) => {
      const page = toPage(directory.members(), args, ({ id }) => id);
      return slackOk({
        members: page.items.map(toUser),
        response_metadata: { next_cursor: page.nextCursor },
      });
    },
    'users.lookupByEmail': (args) => {
      const found = directory
        .members()
        .find((member) => !member.deleted && toEmail(member) === toText(args.email));
      return found === undefined ? slackError('users_not_found') : slackOk({ user: toUser(found) });
    },
    'usergroups.list': (args) =>
      slackOk({
        usergroups: directory.groups().map((group) => ({
          id: group.id,
          team_id: team.id,
          is_usergroup: true,
          handle: group.handle,
          name: group.handle,
          user_count: group.members.length,
          ...(toFlag(args.include_users) ? { users: group.members } : {}),
        })),
      }),
    'usergroups.users.list': (args) => {
      const found = directory.groups().find((group) => group.id === args.usergroup);
      return found === undefined
        ? slackError('no_such_subteam')
        : slackOk({ users: found.members });
    },
  };
}

function toEmail(member: DirectoryMember): string {
  return `${member.name}@example.test`;
}

/** Converts a member to Slack's format. https://docs.slack.dev/reference/objects/user-object */
function toUser(member: DirectoryMember): Json {
  const { teams = [member.teamId] } = member;
  const isStranger = !teams.includes(IDENTITY.team.id);
  return {
    id: member.id,
    team_id: member.teamId,
    name: member.name,
    real_name: member.realName,
    deleted: member.deleted,
    tz: member.tz,
    tz_label: member.tzLabel,
    tz_offset: member.tzOffset,
    profile: {
      real_name: member.realName,
      real_name_normalized: member.realName,
      display_name: member.realName,
      display_name_normalized: member.realName,
      team: member.teamId,
      ...(member.isBot
        ? { api_app_id: IDENTITY.app.id, bot_id: IDENTITY.app.botId }
        : { email: toEmail(member) }),
    },
    is_admin: member.isAdmin,
    is_owner: false,
    is_primary_owner: false,
    is_restricted: member.isGuest,
    is_ultra_restricted: false,
    is_bot: member.isBot,
    is_app_user: false,
    ...(isStranger ? { is_stranger: true } : {}),
    ...(member.teams === undefined ? {} : { enterprise_user: { id: member.id, teams } }),
    updated: 0,
  };
}
