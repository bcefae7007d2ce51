/** Exports, the audit, requests of candidates, retention and keys: one page with parts. */
import type { ComponentType } from 'react';
import { Link, Redirect } from 'wouter';
import { useTexts } from '../language';
import { Page } from '../shell/page';
import { useSession } from '../shell/session';
import { AuditTab } from './audit-tab';
import { CandidatesTab } from './candidates-tab';
import { ExportsTab } from './exports-tab';
import { KeysTab } from './keys-tab';
import { RetentionTab } from './retention-tab';
import { RECORDS, tabsOf } from './tabs';
import type { Tab } from './tabs';
import { useRecordsTexts } from './texts';
import './records.css';

const CONTENT: Readonly<Record<Tab, ComponentType>> = {
  audit: AuditTab,
  candidates: CandidatesTab,
  exports: ExportsTab,
  retention: RetentionTab,
  keys: KeysTab,
};

export function RecordsPage({ tab: wanted }: { tab: string | undefined }) {
  const texts = useTexts();
  const records = useRecordsTexts();
  const tabs = tabsOf(useSession());
  const tab = tabs.find((one) => one === wanted);
  if (tab === undefined) return <Redirect to={`${RECORDS}/${tabs[0] ?? ''}`} replace />;
  const Content = CONTENT[tab];
  return (
    <Page title={texts.records} isWide>
      <nav className="records-tabs" aria-label={records.parts}>
        {tabs.map((one) => (
          <Link
            key={one}
            href={`${RECORDS}/${one}`}
            className="records-tab"
            aria-current={one === tab ? 'page' : undefined}
          >
            {records.tabs[one]}
          </Link>
        ))}
      </nav>
      <Content key={tab} />
    </Page>
  );
}
