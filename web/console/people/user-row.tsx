/** A colleague: what they may, when they were here, and what can be done about it. */
import { useRef } from 'react';
import { ActionIcon, Menu } from '@mantine/core';
import { disableUser, enableUser, endUserSessions, passwordLink } from '../api/calls';
import type { User } from '../api/calls';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { Ago } from '../moments';
import { Icon } from '../shell/icon';
import { failed } from '../shell/notice';
import { useSession } from '../shell/session';
import type { Asked } from '../texts/dictionary';
import type { VacanciesInWords } from '../vacancies';
import type { PeopleActions } from './people-page';

interface UserRowProps {
  user: User;
  inWords: VacanciesInWords;
  actions: PeopleActions;
}

export function UserRow({ user, inWords, actions }: UserRowProps) {
  const texts = useTexts();
  const { people } = texts;
  const isSelf = useSession().user.id === user.id;
  const isDisabled = user.disabledAt !== null;
  return (
    <li className="person" data-disabled={isDisabled}>
      <span className="shell-letter" aria-hidden="true">
        {Array.from(user.name)[0]}
      </span>
      <div className="person-who">
        <strong>{user.name}</strong>
        {isSelf && <span className="tag">{people.you}</span>}
        {isDisabled && <span className="tag tag-grave">{people.disabled}</span>}
        <span className="soft person-mail">{user.email}</span>
      </div>
      <div className="person-role">
        <span>{texts.roles[user.role].name}</span>
        <span className="soft">{inWords(user.vacancies)}</span>
      </div>
      <div className="person-seen">
        {user.signedInAt === null ? (
          <span>{people.neverHere}</span>
        ) : (
          <span>
            {people.signedIn} <Ago at={user.signedInAt} />
          </span>
        )}
        {user.sessions > 0 && <span className="soft">{people.sessions(user.sessions)}</span>}
      </div>
      <UserMenu user={user} actions={actions} />
    </li>
  );
}

function UserMenu({ user, actions }: Omit<UserRowProps, 'inWords'>) {
  const texts = useTexts();
  const { people } = texts;
  const { id, name } = user;
  const target = useRef<HTMLButtonElement>(null);
  const act = (action: () => void) => (): void => {
    // A dialog gives the focus back to it; the item is gone by then.
    target.current?.focus();
    action();
  };
  const ask = (words: Asked, run: (id: string) => Promise<unknown>, isGrave = false): void => {
    actions.ask({
      title: words.title(name),
      text: words.text,
      action: words.action,
      isGrave,
      run: async () => {
        await run(id);
        actions.changed(words.done(name));
      },
    });
  };
  const link = async (): Promise<void> => {
    try {
      actions.show({ ...(await passwordLink(id)), kind: 'password', name });
    } catch (error) {
      failed(texts.problem(asProblem(error)));
    }
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon ref={target} className="person-menu" aria-label={people.actionsOf(name)}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={act(() => actions.change(user))}>{people.change.open}</Menu.Item>
        {user.method === 'password' && user.disabledAt === null && (
          <Menu.Item onClick={act(() => void link())}>{people.passwordLink}</Menu.Item>
        )}
        {user.sessions > 0 && (
          <Menu.Item onClick={act(() => ask(people.endSessions, endUserSessions))}>
            {people.endSessions.action}
          </Menu.Item>
        )}
        <Menu.Divider />
        {user.disabledAt === null ? (
          <Menu.Item
            className="item-grave"
            onClick={act(() => ask(people.disable, disableUser, true))}
          >
            {people.disable.action}
          </Menu.Item>
        ) : (
          <Menu.Item onClick={act(() => ask(people.enable, enableUser))}>
            {people.enable.action}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
