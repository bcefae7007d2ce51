#!/bin/sh
# DOCX: the text that readers leave out, write twice or join, in what Word writes.
#
# Version:  mammoth 1.13.0, word-extractor 1.0.4, docxtemplater 3.71.0 with pizzip 3.3.0 (Node 20.20).
# Guess:    "raw text" and "full text" are the text that a person sees when Word opens the document.
# Seen:     1. Field: mammoth leaves out what a simple field shows, a date or a name in a form for one.
#           2. Tick: the sign of a ticked box is not in mammoth's raw text (it is in its HTML).
#           3. Moved: a text that was moved with tracking on is there twice in word-extractor and docxtemplater.
#           4. Box: a text box is there twice in docxtemplater, since Word writes it for old readers too.
#           5. Line: words on both sides of a line break are joined in mammoth's raw text and docxtemplater, at a
#              tab too in the latter. word-extractor and docxtemplater lose a no-break hyphen: co-op is coop.
# Output:   1. field: mammoth "Date:", word-extractor "Date: 12 May", docxtemplater "Date: 12 May"
#           2. tick: mammoth "Agreed:", word-extractor "Agreed: ☒", docxtemplater "Agreed: ☒"
#           3. moved: mammoth "First Second", word-extractor "Second First Second", docxtemplater
#              "SecondFirst Second"
#           4. box: mammoth "Name Skills", word-extractor "Name Skills", docxtemplater "Name SkillsSkills"
#           5. line: mammoth "co‑op bakerYork", word-extractor "coop baker York", docxtemplater "coopbakerYork"
# So:       compare two readers before a document is judged by its text, and never by the length of it.
#
# Blanks and line breaks are shown as one blank. Installs into a temporary folder. Exits with 1 when the
# behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent \
  mammoth@1.13.0 word-extractor@1.0.4 docxtemplater@3.71.0 pizzip@3.3.0
cat >look.cjs <<'END'
const Docxtemplater = require('docxtemplater');
const mammoth = require('mammoth');
const PizZip = require('pizzip');
const WordExtractor = require('word-extractor');

const OFFICE = 'http://schemas.openxmlformats.org';
const MICROSOFT = 'http://schemas.microsoft.com/office/word/2010';
const SPACES = {
  w: `${OFFICE}/wordprocessingml/2006/main`,
  mc: `${OFFICE}/markup-compatibility/2006`,
  wp: `${OFFICE}/drawingml/2006/wordprocessingDrawing`,
  a: `${OFFICE}/drawingml/2006/main`,
  v: 'urn:schemas-microsoft-com:vml',
  wps: `${MICROSOFT}/wordprocessingShape`,
  w14: `${MICROSOFT}/wordml`,
};
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const RELATIONS = `${OFFICE}/package/2006/relationships`;
const MAIN = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

function docx(body) {
  const zip = new PizZip();
  const spaces = Object.entries(SPACES).map(([name, space]) => `xmlns:${name}="${space}"`).join(' ');
  zip.file('[Content_Types].xml', `${HEAD}<Types xmlns="${OFFICE}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${MAIN}"/></Types>`);
  zip.file('_rels/.rels', `${HEAD}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`);
  zip.file('word/_rels/document.xml.rels', `${HEAD}<Relationships xmlns="${RELATIONS}"></Relationships>`);
  zip.file('word/document.xml', `${HEAD}<w:document ${spaces} mc:Ignorable="w14"><w:body>${body}<w:sectPr/></w:body></w:document>`);
  return zip.generate({ type: 'nodebuffer' });
}
const p = (...parts) => `<w:p>${parts.join('')}</w:p>`;
const t = (text) => `<w:t xml:space="preserve">${text}</w:t>`;
const r = (text) => `<w:r>${t(text)}</w:r>`;
const tracked = (id) => `w:id="${id}" w:author="A" w:date="2026-01-01T00:00:00Z"`;
const content = `<w:txbxContent>${p(r('Skills'))}</w:txbxContent>`;
const shape = `<w:drawing><wp:inline><wp:extent cx="914400" cy="914400"/><wp:docPr id="1" name="Box"/><a:graphic><a:graphicData uri="${SPACES.wps}"><wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr/><wps:txbx>${content}</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing>`;
const oldShape = `<w:pict><v:shape style="width:72pt;height:72pt"><v:textbox>${content}</v:textbox></v:shape></w:pict>`;
const DOCUMENTS = {
  field: p(r('Date: '), `<w:fldSimple w:instr=" DATE ">${r('12 May')}</w:fldSimple>`),
  tick: p(r('Agreed: '), `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr><w:sdtContent>${r('☒')}</w:sdtContent></w:sdt>`),
  moved: p(`<w:moveFrom ${tracked(1)}>${r('Second')}</w:moveFrom>`) + p(r('First '), `<w:moveTo ${tracked(2)}>${r('Second')}</w:moveTo>`),
  box: p(r('Name ')) + p(`<w:r><mc:AlternateContent><mc:Choice Requires="wps">${shape}</mc:Choice><mc:Fallback>${oldShape}</mc:Fallback></mc:AlternateContent></w:r>`),
  line: p(`<w:r>${t('co')}<w:noBreakHyphen/>${t('op')}<w:tab/>${t('baker')}<w:br/>${t('York')}</w:r>`),
};
const READERS = {
  mammoth: async (file) => (await mammoth.extractRawText({ buffer: file })).value,
  'word-extractor': async (file) => {
    const document = await new WordExtractor().extract(file);
    return `${document.getBody()} ${document.getTextboxes()}`;
  },
  docxtemplater: async (file) => new Docxtemplater(new PizZip(file)).getFullText(),
};

async function main() {
  const lines = [];
  for (const [what, body] of Object.entries(DOCUMENTS)) {
    const seen = [];
    for (const [name, read] of Object.entries(READERS)) {
      const text = (await read(docx(body))).replace(/\s+/g, ' ');
      seen.push(`${name} "${text.trim()}"`);
    }
    lines.push(`${lines.length + 1}. ${what}: ${seen.join(', ')}`);
    console.log(lines.at(-1));
  }
  const expected = [
    '1. field: mammoth "Date:", word-extractor "Date: 12 May", docxtemplater "Date: 12 May"',
    '2. tick: mammoth "Agreed:", word-extractor "Agreed: ☒", docxtemplater "Agreed: ☒"',
    '3. moved: mammoth "First Second", word-extractor "Second First Second", docxtemplater "SecondFirst Second"',
    '4. box: mammoth "Name Skills", word-extractor "Name Skills", docxtemplater "Name SkillsSkills"',
    '5. line: mammoth "co‑op bakerYork", word-extractor "coop baker York", docxtemplater "coopbakerYork"',
  ];
  if (lines.join('\n') !== expected.join('\n')) throw new Error('the behaviour has changed');
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
END
node look.cjs
