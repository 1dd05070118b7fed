"""Makes the PDFs of this folder: pip install reportlab fpdf2 pikepdf pillow fonttools, then run it here.

The fonts are DejaVu's, from the system; only the letters that are used are embedded.
"""

import io
import zlib
from datetime import datetime, timezone

import pikepdf
from fontTools.fontBuilder import FontBuilder
from fontTools.misc.psCharStrings import T2CharString
from fpdf import FPDF
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas

FONTS = "/usr/share/fonts/truetype/dejavu/"


def draw(name, paint):
    page = canvas.Canvas(name, pagesize=A4, invariant=1, pageCompression=1)
    paint(page)
    page.save()


def basic(page):
    for number in (1, 2, 3):
        page.setFont("Helvetica", 12)
        page.drawString(72, 760, f"Page {number} of the basic file")
        text = page.beginText(72, 720)
        for line in ("The quick brown fox jumps", "over the lazy dog.", "", "Second paragraph here: 42 % done."):
            text.textLine(line)
        page.drawText(text)
        page.showPage()


def unicode(page):
    pdfmetrics.registerFont(TTFont("DejaVu", FONTS + "DejaVuSans.ttf"))
    page.setFont("DejaVu", 12)
    page.drawString(72, 760, "Ελληνικά Русский ∑∞ ≠")
    page.drawString(72, 740, "ligatures: ﬁne ﬂow ﬃ ﬄ")
    page.setFont("Times-Roman", 12)
    page.drawString(72, 700, "Café naïve straße – “quoted” … €5")
    page.showPage()


def east_asian(page):
    rows = (("HeiseiMin-W3", "日本語のテキスト"), ("STSong-Light", "中文文本"), ("HYSMyeongJo-Medium", "한국어 문서"))
    for row, (font, words) in enumerate(rows):
        pdfmetrics.registerFont(UnicodeCIDFont(font))
        page.setFont(font, 14)
        page.drawString(72, 760 - 30 * row, words)
    page.showPage()


def mixed(page):
    picture = io.BytesIO()
    Image.new("RGB", (20, 10), (200, 10, 10)).save(picture, "PNG")
    picture.seek(0)
    page.drawImage(canvas.ImageReader(picture), 72, 500)
    page.showPage()
    page.drawString(72, 700, "This second page has a text layer.")
    page.showPage()
    page.showPage()


def form(page):
    page.drawString(72, 760, "Name:")
    page.acroForm.textfield(name="name", value="Ada Lovelace", x=140, y=750, width=200, height=20)
    page.showPage()


def wrapped(name):
    document = FPDF()
    document.set_creation_date(datetime(2020, 1, 1, tzinfo=timezone.utc))
    document.add_page()
    document.add_font("Serif", "", FONTS + "DejaVuSerif.ttf")
    document.set_font("Serif", size=14)
    document.cell(0, 10, "Ünïcödé Ђђ and plain words", new_x="LMARGIN", new_y="NEXT")
    document.multi_cell(0, 8, "A paragraph of many words that is set over more than one line, for it is long.")
    document.output(name)


def compact_font():
    """A CFF font whose own encoding puts alpha at 65 and fi at 66."""
    shape = T2CharString(program=[500, "hmoveto", "endchar"])
    names = [".notdef", "alpha", "fi"]
    builder = FontBuilder(1000, isTTF=False)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({})
    builder.setupCFF("Own", {}, dict.fromkeys(names, shape), {})
    builder.setupHorizontalMetrics(dict.fromkeys(names, (500, 0)))
    builder.setupHorizontalHeader()
    font = builder.font["CFF "].cff
    encoding = [".notdef"] * 256
    encoding[65], encoding[66] = "alpha", "fi"
    font.topDictIndex[0].Encoding = encoding
    table = io.BytesIO()
    font.compile(table, builder.font)
    return table.getvalue()


def own_encoding(name):
    document = pikepdf.new()
    program = document.make_stream(compact_font(), Subtype=pikepdf.Name.Type1C)
    descriptor = pikepdf.Dictionary(Type=pikepdf.Name.FontDescriptor, FontName=pikepdf.Name.Own, Flags=4, FontFile3=program)
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Own,
        FontDescriptor=document.make_indirect(descriptor),
    )
    page = document.add_blank_page(page_size=(612, 792))
    page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=document.make_indirect(font)))
    page.Contents = document.make_stream(b"BT /F1 12 Tf 72 700 Td (AB) Tj ET")
    document.save(name, deterministic_id=True)


def bomb(name):
    document = pikepdf.new()
    page = document.add_blank_page(page_size=(612, 792))
    packed = zlib.compress(zlib.compress(bytes(300_000_000), 9), 9)
    stream = pikepdf.Stream(document, b"")
    stream.write(packed, filter=pikepdf.Array([pikepdf.Name.FlateDecode] * 2))
    page.Contents = stream
    level = pikepdf.StreamDecodeLevel.none
    document.save(name, compress_streams=False, stream_decode_level=level, deterministic_id=True)


draw("basic.pdf", basic)
draw("unicode.pdf", unicode)
draw("east_asian.pdf", east_asian)
draw("mixed.pdf", mixed)
draw("form.pdf", form)
wrapped("wrapped.pdf")
own_encoding("own_encoding.pdf")
bomb("bomb.pdf")
for revision in (2, 3, 4, 6):
    for user, who in (("secret", "user"), ("", "owner")):
        security = pikepdf.Encryption(user=user, owner="own", R=revision, aes=revision >= 4, metadata=revision >= 4)
        pikepdf.open("basic.pdf").save(f"{who}_{revision}.pdf", encryption=security)
pikepdf.open("basic.pdf").save("object_streams.pdf", object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)
pikepdf.open("basic.pdf").save("linear.pdf", linearize=True, deterministic_id=True)
