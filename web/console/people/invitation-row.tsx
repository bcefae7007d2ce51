/** A link that nobody has used yet. */
import { Button } from '@mantine/core';
import { colleagueOf } from '../actor';
import { revokeInvitation } from '../api/calls';
import type { Invitation } from '../api/calls';
import { useTexts } from '../language';
import { Moment } from '../moments';
import type { PeopleActions } from './people-page';
import { vacanciesOf } from './user-row';

interface InvitationRowProps {
  invitation: Invitation;
  titles: ReadonlyMap<string, string>;
  actions: PeopleActions;
}

export function InvitationRow({ invitation, titles, actions }: InvitationRowProps) {
  const { people, roles } = useTexts();
  const { id, kind, name, email, role, vacancies, createdBy, expiresAt } = invitation;
  const who = name ?? email ?? people.somebody;
  const revoke = (): void => {
    actions.ask({
      title: people.revoke.title(who),
      text: people.revoke.text,
      action: people.revoke.action,
      isGrave: true,
      run: async () => {
        await revokeInvitation(id);
        actions.changed(people.revoke.done);
      },
    });
  };
  return (
    <li className="person">
      <span className="shell-letter shell-letter-open" aria-hidden="true">
        {name === null ? '?' : Array.from(name)[0]}
      </span>
      <div className="person-who">
        <strong>{who}</strong>
        {kind === 'password' && <span className="tag">{people.newPassword}</span>}
        <span className="soft person-mail">{name === null ? null : email}</span>
      </div>
      <div className="person-role">
        {role !== null && <span>{roles[role].name}</span>}
        {role !== null && (
          <span className="soft">{vacanciesOf(vacancies, titles, people.allVacancies)}</span>
        )}
      </div>
      <div className="person-seen">
        <span>{people.invitedBy(colleagueOf(createdBy) ?? createdBy)}</span>
        <span className="soft">
          {people.until} <Moment at={expiresAt} />
        </span>
      </div>
      <Button
        className="person-menu"
        variant="subtle"
        size="sm"
        aria-label={people.revoke.title(who)}
        onClick={revoke}
      >
        {people.revoke.action}
      </Button>
    </li>
  );
}
