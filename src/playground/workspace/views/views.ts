import { randomBytes } from 'node:crypto';
import { newBlockId } from '../api/post-message.ts';
import { LIMITS } from '../blocks/limits.ts';
import { assignIds } from '../blocks/walk-blocks.ts';
import { compact, type Json, toRecords, toText } from '../json-value.ts';
import { IDENTITY } from '../workspace-seed.ts';
import { collectState, type Offered, type Typed } from './form-state.ts';
import type { Trigger } from './trigger-ids.ts';

export interface HeldView {
  readonly id: string;
  readonly userId: string;
  readonly rootId: string;
  readonly previousId?: string;
  readonly hash: string;
  /** The app's view, with block and action ids. */
  readonly content: Json;
  readonly typed: Typed;
  readonly offered: Offered;
  readonly errors: Readonly<Record<string, string>>;
}

/** The changed view, or Slack's error code. */
export type ViewResult = { readonly view: HeldView } | { readonly error: string };

/** The modals and Home tabs of all people. Their contents are validated. */
export interface WorkspaceViews {
  stackOf(userId: string): readonly HeldView[];
  homeOf(userId: string): HeldView | undefined;
  /** Opens a modal, replacing the person's open modals. */
  open(userId: string, content: Json): ViewResult;
  /** Pushes a modal onto the stack of the trigger's view. */
  push(trigger: Trigger, content: Json): ViewResult;
  update(which: { viewId?: string; externalId?: string; hash?: string }, content: Json): ViewResult;
  publish(userId: string, content: Json, hash?: string): ViewResult;
  /** Stores entered values, offered options and shown errors. */
  mark(view: HeldView, marks: Partial<Pick<HeldView, 'typed' | 'offered' | 'errors'>>): HeldView;
  /** Closes the top modal. */
  pop(userId: string): void;
  clear(userId: string): void;
}

/** Creates an empty set of views. Calls `changed` after each change. */
export function createWorkspaceViews(nextHash: () => string, changed: () => void): WorkspaceViews {
  const stacks = new Map<string, readonly HeldView[]>();
  const homes = new Map<string, HeldView>();
  const everyView = (): HeldView[] => [...[...stacks.values()].flat(), ...homes.values()];
  const stackOf = (userId: string): readonly HeldView[] => stacks.get(userId) ?? [];

  const setStack = (userId: string, stack: readonly HeldView[]): void => {
    stacks.set(userId, stack);
    changed();
  };

  function isDuplicate(content: Json, exceptId?: string): boolean {
    const externalId = toText(content.external_id);
    return (
      externalId !== '' &&
      everyView().some((view) => view.id !== exceptId && view.content.external_id === externalId)
    );
  }

  function replace(next: HeldView): ViewResult {
    if (next.content.type === 'home') {
      homes.set(next.userId, next);
      changed();
    } else {
      const stack = stackOf(next.userId).map((view) => (view.id === next.id ? next : view));
      setStack(next.userId, stack);
    }
    return { view: next };
  }

  function change(view: HeldView, content: Json, hash: string | undefined): ViewResult {
    if (hash !== undefined && hash !== view.hash) {
      return { error: 'hash_conflict' };
    }
    if (isDuplicate(content, view.id)) {
      return { error: 'duplicate_external_id' };
    }
    return replace({ ...view, content: withIds(content), hash: nextHash(), errors: {} });
  }

  return {
    stackOf,
    homeOf: (userId) => homes.get(userId),
    open: (userId, content) => {
      if (isDuplicate(content)) {
        return { error: 'duplicate_external_id' };
      }
      const view = createView(userId, content, nextHash());
      setStack(userId, [view]);
      return { view };
    },
    push: (trigger, content) => {
      const stack = stackOf(trigger.userId);
      const top = stack.at(-1);
      if (top === undefined || !stack.some((view) => view.id === trigger.viewId)) {
        return { error: 'view_not_found' };
      }
      if (stack.length >= LIMITS.modalStack.max) {
        return { error: 'push_limit_reached' };
      }
      if (isDuplicate(content)) {
        return { error: 'duplicate_external_id' };
      }
      const view = createView(trigger.userId, content, nextHash(), top);
      setStack(trigger.userId, [...stack, view]);
      return { view };
    },
    update: ({ viewId, externalId, hash }, content) => {
      const found = everyView().find((view) =>
        viewId === undefined ? view.content.external_id === externalId : view.id === viewId,
      );
      if (found === undefined || found.content.type !== content.type) {
        return { error: found === undefined ? 'not_found' : 'invalid_arguments' };
      }
      return change(found, content, hash);
    },
    publish: (userId, content, hash) => {
      const known = homes.get(userId);
      if (known !== undefined) {
        return change(known, content, hash);
      }
      return isDuplicate(content)
        ? { error: 'duplicate_external_id' }
        : replace(createView(userId, content, nextHash()));
    },
    mark: (view, marks) => {
      const next = { ...view, ...marks };
      replace(next);
      return next;
    },
    pop: (userId) => setStack(userId, stackOf(userId).slice(0, -1)),
    clear: (userId) => setStack(userId, []),
  };
}

function createView(userId: string, content: Json, hash: string, below?: HeldView): HeldView {
  const id = `V0${randomBytes(5).toString('hex').toUpperCase()}`;
  return {
    id,
    userId,
    rootId: below?.rootId ?? id,
    ...(below === undefined ? {} : { previousId: below.id }),
    hash,
    content: withIds(content),
    typed: {},
    offered: {},
    errors: {},
  };
}

function withIds(content: Json): Json {
  return { ...content, blocks: assignIds(toRecords(content.blocks), newBlockId) };
}

/** Returns the current `state.values` of the view. */
export function stateOf({ content, typed, offered }: HeldView): Json {
  return collectState(toRecords(content.blocks), typed, offered);
}

/**
 * Converts a view to its format in the Web API and interactions. `withState` adds the entered
 * values.
 */
export function toSlackView(view: HeldView, withState = false): Json {
  const { content } = view;
  return compact({
    id: view.id,
    team_id: IDENTITY.team.id,
    type: content.type,
    blocks: content.blocks,
    private_metadata: toText(content.private_metadata),
    callback_id: toText(content.callback_id),
    state: { values: withState ? stateOf(view) : {} },
    hash: view.hash,
    title: content.title,
    clear_on_close: content.clear_on_close ?? false,
    notify_on_close: content.notify_on_close ?? false,
    close: content.close ?? null,
    submit: content.submit ?? null,
    previous_view_id: view.previousId ?? null,
    root_view_id: view.rootId,
    app_id: IDENTITY.app.id,
    external_id: toText(content.external_id),
    app_installed_team_id: IDENTITY.team.id,
    bot_id: IDENTITY.app.botId,
  });
}
