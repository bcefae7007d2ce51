/** The company whose interview it is: its name, logo and accent colour, for every page below it. */
import { createContext, use } from 'react';
import type { CSSProperties, ReactNode } from 'react';
import type { Brand } from '../api/wire';
import { Mark } from './icons';
import { useTexts } from './language';

export interface CompanyBrand extends Brand {
  company: string;
  /** A colleague looks at its interview as a candidate. */
  isPreview?: boolean | undefined;
}

/** Null: the page belongs to no company, or does not know it yet. */
const BrandContext = createContext<CompanyBrand | null>(null);

export function useBrand(): CompanyBrand | null {
  return use(BrandContext);
}

/** The element has no box of its own; it only carries the colours down. */
export function Branded({ brand, children }: { brand: CompanyBrand | null; children: ReactNode }) {
  const accent = brand?.accent;
  const colors = { '--accent-light': accent?.light, '--accent-dark': accent?.dark };
  return (
    <BrandContext value={brand}>
      <div
        className={accent ? 'brand has-accent' : 'brand'}
        {...(accent ? { style: colors as CSSProperties } : {})}
      >
        {children}
      </div>
    </BrandContext>
  );
}

/** The logo; without one, the first letter of the name. Decoration: the name stands beside it. */
export function Logo({ company, logo }: Pick<CompanyBrand, 'company' | 'logo'>) {
  if (logo) return <img className="logo" src={logo} alt="" />;
  return (
    <span className="logo logo-letter" aria-hidden="true">
      {Array.from(company)[0]}
    </span>
  );
}

/** Whose page it is: the company's, or else Colloquy's. */
export function Wordmark() {
  const brand = useBrand();
  return (
    <span className="wordmark">
      {brand ? <Logo {...brand} /> : <Mark />}
      <span>{brand?.company ?? 'Colloquy'}</span>
    </span>
  );
}

/** Says to a colleague who looks at the interview as a candidate that it is no candidate's. */
export function PreviewNote() {
  const { preview } = useTexts();
  if (useBrand()?.isPreview !== true) return null;
  return (
    <aside className="preview-note" aria-label={preview.title}>
      <strong>{preview.title}</strong> {preview.text}
    </aside>
  );
}

/** Colloquy, named small on a company's page: one text, so that no part moves when the font arrives. */
export function MadeWith() {
  const { madeWith } = useTexts();
  return (
    <p className="made-with">
      <Mark />
      {madeWith}
    </p>
  );
}
