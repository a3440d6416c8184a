import type { Member, WorkspaceView } from '../../workspace/workspace-port.ts';
import { displayName, usePageContext } from '../state/names.ts';
import { useUi } from '../state/ui.ts';

/** Shows the members of each user group, and changes them as Slack's own settings do. */
export function GroupsView() {
  const { workspace } = usePageContext();
  return (
    <>
      <p class="muted">
        User groups are managed in Slack, not in the app. If you remove somebody who has approved,
        their approval no longer counts.
      </p>
      {workspace.groups.map((group) => (
        <Group key={group.id} group={group} />
      ))}
    </>
  );
}

function Group({ group }: { group: WorkspaceView['groups'][number] }) {
  const { workspace, start } = usePageContext();
  const { backend, attempt } = useUi();
  const people = start.people.flatMap(({ name }) =>
    workspace.members.filter((member) => member.name === name),
  );
  const change = (changed: Member, isIn: boolean) => {
    const members = workspace.members.filter(({ id }) =>
      id === changed.id ? isIn : group.members.includes(id),
    );
    void attempt(
      backend.setGroup(
        group.handle,
        members.map(({ name }) => name),
      ),
    );
  };
  return (
    <fieldset class="members">
      <legend>@{group.handle}</legend>
      {people.map((member) => (
        <label key={member.id} class="box">
          <input
            type="checkbox"
            checked={group.members.includes(member.id)}
            onChange={(event) => change(member, event.currentTarget.checked)}
          />
          <span>{displayName(member, member.id)}</span>
        </label>
      ))}
    </fieldset>
  );
}
