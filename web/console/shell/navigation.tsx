/** Places and the signed-in person: a column on the left, on a phone a bar above and one below. */
import { useId, useRef, useState } from 'react';
import { Menu, UnstyledButton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { Mark } from '../../src/components/icons';
import { signOut } from '../api/calls';
import { asProblem } from '../api/problem';
import { openAnew } from '../forget';
import { hasDrafts } from '../inbox/drafts';
import { MOST_COUNTED, useWaitingCount } from '../inbox/use-waiting-count';
import { INVITATIONS } from '../invitations/places';
import { useLanguage } from '../language';
import { SCHEMES, chooseScheme, useScheme } from '../look/scheme';
import { HOME, INBOX } from '../places';
import { RECORDS, hasRecords } from '../records/tabs';
import { ConfirmDialog } from './dialog';
import type { Question } from './dialog';
import { Icon } from './icon';
import { leaveGuard } from './leave-guard';
import { failed } from './notice';
import { mayManageUsers, mayReadInvitations, mayUseInbox, useSession } from './session';
import { useIsPhone } from './use-is-phone';

export function Navigation({ onShortcuts }: { onShortcuts: () => void }) {
  const { texts } = useLanguage();
  const places = usePlaces();
  const waiting = useWaitingCount();
  const isPhone = useIsPhone();
  const hasMore = isPhone && places.length > MOST_ON_PHONE;
  const shown = hasMore ? places.slice(0, MOST_ON_PHONE - 1) : places;
  return (
    <aside className="shell-side" aria-label="Colloquy">
      <Link href={HOME} className="shell-mark">
        <Mark />
        <span>Colloquy</span>
      </Link>
      <nav className="shell-nav" aria-label={texts.shell.places}>
        {shown.map((place) => (
          <Place key={place.href} {...place} waiting={place.href === INBOX ? waiting : null} />
        ))}
        {hasMore && <MorePlaces places={places.slice(shown.length)} />}
      </nav>
      <PersonMenu onShortcuts={onShortcuts} />
    </aside>
  );
}

/** As many names stand side by side on a phone, the longest Russian ones among them. */
const MOST_ON_PHONE = 5;

interface PlaceProps {
  href: string;
  icon: 'inbox' | 'interviews' | 'invitations' | 'vacancies' | 'people' | 'records' | 'account';
  name: string;
}

/** Those that the person has a use for, what is needed daily first. */
function usePlaces(): PlaceProps[] {
  const { texts } = useLanguage();
  const session = useSession();
  const readsVacancies = session.scopes.includes('vacancies:read');
  const all: [boolean, PlaceProps][] = [
    [mayUseInbox(session), { href: INBOX, icon: 'inbox', name: texts.inbox.title }],
    [true, { href: HOME, icon: 'interviews', name: texts.interviews.title }],
    [
      mayReadInvitations(session),
      { href: INVITATIONS, icon: 'invitations', name: texts.invitations },
    ],
    [
      readsVacancies,
      { href: '/console/vacancies', icon: 'vacancies', name: texts.vacancies.title },
    ],
    [
      mayManageUsers(session),
      { href: '/console/people', icon: 'people', name: texts.people.title },
    ],
    [hasRecords(session), { href: RECORDS, icon: 'records', name: texts.records }],
    [true, { href: '/console/account', icon: 'account', name: texts.account.title }],
  ];
  return all.flatMap(([isShown, place]) => (isShown ? [place] : []));
}

/** `waiting`: how many things wait there; null: it is not known, or nothing does at this place. */
function Place({ href, icon, name, waiting }: PlaceProps & { waiting: number | null }) {
  const [here] = useLocation();
  return (
    <Link
      href={href}
      className="shell-place"
      aria-current={here.startsWith(href) ? 'page' : undefined}
    >
      <Icon name={icon} />
      <span>{name}</span>
      {waiting !== null && waiting > 0 && <Waiting count={waiting} />}
    </Link>
  );
}

function Waiting({ count }: { count: number }) {
  const { inbox } = useLanguage().texts;
  const isMore = count > MOST_COUNTED;
  const counted = Math.min(count, MOST_COUNTED);
  return (
    <>
      <span className="shell-count" aria-hidden="true">
        {counted}
        {isMore && '+'}
      </span>
      <span className="for-readers">, {inbox.waiting(counted, isMore)}</span>
    </>
  );
}

/** The places for which the bar of a phone has no room. */
function MorePlaces({ places }: { places: readonly PlaceProps[] }) {
  const { texts } = useLanguage();
  const [here, navigate] = useLocation();
  const current = places.find(({ href }) => here.startsWith(href));
  return (
    <Menu position="top-end" width="max-content">
      <Menu.Target>
        <UnstyledButton className="shell-place" data-here={current !== undefined}>
          <Icon name="more" />
          <span>{texts.shell.more}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {places.map(({ href, icon, name }) => (
          <Menu.Item
            key={href}
            leftSection={<Icon name={icon} />}
            aria-current={href === current?.href ? 'page' : undefined}
            onClick={() => navigate(href)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function PersonMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { texts, choose } = useLanguage();
  const { user } = useSession();
  const { choice } = useScheme();
  const queries = useQueryClient();
  const target = useRef<HTMLButtonElement>(null);
  const schemes = useId();
  const [question, setQuestion] = useState<Question | null>(null);
  const leave = async (): Promise<void> => {
    try {
      await signOut();
    } catch (error) {
      failed(texts.problem(asProblem(error)));
      return;
    }
    openAnew(queries, () => location.assign('/console/sign-in'));
  };
  const askToLeave = (): void => {
    if (!leaveGuard.hasUnsaved && !hasDrafts()) {
      void leave();
      return;
    }
    // The dialog gives the focus back to it; the item is gone by then.
    target.current?.focus();
    setQuestion({ ...texts.shell.unsaved, action: texts.shell.signOut, run: leave });
  };
  return (
    <Menu position="top-start" alignItemsLabels="all" checkIcon={<Icon name="check" />}>
      <Menu.Target>
        <UnstyledButton
          ref={target}
          className="shell-person"
          aria-label={texts.shell.menuOf(user.name)}
        >
          <span className="shell-letter" aria-hidden="true">
            {Array.from(user.name)[0]}
          </span>
          <span className="shell-who">
            <strong>{user.name}</strong>
            <span>{texts.roles[user.role].name}</span>
          </span>
          <Icon name="chevron" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div role="group" aria-labelledby={schemes}>
          <Menu.Label id={schemes}>{texts.shell.scheme}</Menu.Label>
          <Menu.RadioGroup
            value={choice}
            onChange={(next) => chooseScheme(SCHEMES.find((one) => one === next) ?? choice)}
          >
            {SCHEMES.map((scheme) => (
              <Menu.RadioItem key={scheme} value={scheme}>
                {texts.shell.schemes[scheme]}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </div>
        <Menu.Divider />
        <Menu.Item lang={texts.language.other} onClick={() => choose(texts.language.other)}>
          {texts.language.switchTo}
        </Menu.Item>
        <Menu.Item
          rightSection={<kbd className="key">?</kbd>}
          onClick={() => {
            // The dialog gives the focus back to it; the item is gone by then.
            target.current?.focus();
            onShortcuts();
          }}
        >
          {texts.shortcuts.title}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={askToLeave}>{texts.shell.signOut}</Menu.Item>
      </Menu.Dropdown>
      <ConfirmDialog question={question} onClose={() => setQuestion(null)} />
    </Menu>
  );
}
