/** The QR code of a link, and a page with it for the printer. */
import { useMemo } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '@mantine/core';
import qrcode from 'qrcode-generator';
import { useLanguage } from '../language';
import { dayOf } from './message';
import { useInvitationTexts } from './texts';

interface QrCodeProps {
  link: string;
  title: string;
  company: string;
  name: string | null;
  validUntil: string;
}

/** Modules of white around the code, which readers need (ISO/IEC 18004). */
const QUIET = 4;

export function QrCode({ link, title, company, name, validUntil }: QrCodeProps) {
  const texts = useInvitationTexts();
  const { language } = useLanguage();
  const { size, path } = useMemo(() => modulesOf(link), [link]);
  const box = `${String(-QUIET)} ${String(-QUIET)} ${String(size + 2 * QUIET)} ${String(size + 2 * QUIET)}`;
  const code = (
    <svg className="qr-code" viewBox={box} role="img" aria-label={texts.link.qr}>
      <path
        fill="#fff"
        d={`M${String(-QUIET)} ${String(-QUIET)}h${String(size + 2 * QUIET)}v${String(size + 2 * QUIET)}H${String(-QUIET)}z`}
      />
      <path fill="#000" d={path} shapeRendering="crispEdges" />
    </svg>
  );
  return (
    <div className="qr">
      {code}
      <Button variant="default" size="sm" onClick={() => window.print()}>
        {texts.link.print}
      </Button>
      {createPortal(
        <div className="print-page" aria-hidden="true">
          <p>{company}</p>
          <p className="print-title">{title}</p>
          {name !== null && <p>{name}</p>}
          {code}
          <p>{texts.link.printed.scan}</p>
          <p>
            {texts.link.printed.until} {dayOf(validUntil, language)}
          </p>
        </div>,
        document.body,
      )}
    </div>
  );
}

/** One square of a path for each dark module. */
function modulesOf(link: string): { size: number; path: string } {
  const code = qrcode(0, 'M');
  code.addData(link);
  code.make();
  const size = code.getModuleCount();
  const squares: string[] = [];
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (code.isDark(row, column)) squares.push(`M${String(column)} ${String(row)}h1v1h-1z`);
    }
  }
  return { size, path: squares.join('') };
}
