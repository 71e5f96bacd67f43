/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manual page of a command, from its description and its option rows.
 *
 * One walk says what the page says, in the order in which a reader needs it: the examples stand before the
 * explanations. What a heading, a paragraph or an item looks like is up to one of two writers behind a small table of
 * functions: roff for man(1), and text for a machine that has no man(1) and for output that is no terminal.
 */
#include <ctype.h>
#include <string.h>

#include "cli/option_doc.h"

struct writer {
	struct buf *buf;
	unsigned width;
	bool bold;
	const struct page_style *style;
};

struct page_style {
	void (*title)(struct writer *writer, const struct option_page *page);
	void (*section)(struct writer *writer, const char *name);
	void (*subsection)(struct writer *writer, const char *name);
	void (*paragraphs)(struct writer *writer, const char *text); /* separated by empty lines */
	void (*line)(struct writer *writer, const char *text); /* something to be typed */
	void (*item)(struct writer *writer, const char *label, const char *text);
};

/* ---- roff -------------------------------------------------------------------------------------- */

static void roff_text(struct buf *buf, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		bool starts = i == 0 || text[i - 1] == '\n';

		switch (text[i]) {
		case '\\':
			buf_str(buf, "\\e");
			break;
		case '-':
			buf_str(buf, "\\-");
			break;
		case '\'':
		case '.':
			if (starts)
				buf_str(buf, "\\&");
			buf_str(buf, text[i] == '\'' ? "\\(aq" : ".");
			break;
		case '"':
			buf_str(buf, "\\(dq");
			break;
		case '`':
			buf_str(buf, "\\(ga");
			break;
		case '^':
			buf_str(buf, "\\(ha");
			break;
		case '~':
			buf_str(buf, "\\(ti");
			break;
		default:
			buf_putc(buf, text[i]);
		}
	}
}

static void roff_title(struct writer *writer, const struct option_page *page)
{
	struct buf *buf = writer->buf;
	const char *name = page->spec->name;

	buf_printf(buf, ".\\\" Made from the option tables of %s; changes belong there.\n.TH \"",
		   page->program);
	for (const char *c = page->program; *c; c++)
		buf_putc(buf, (char)toupper((unsigned char)*c));
	if (name)
		buf_putc(buf, '-');
	for (const char *c = name ? name : ""; *c; c++)
		buf_putc(buf, *c == ' ' ? '-' : (char)toupper((unsigned char)*c));
	buf_printf(buf, "\" 1 \"\" \"%s %s\" \"%s manual\"\n.nh\n.ad l\n", page->program, page->version,
		   page->program);
}

static void roff_section(struct writer *writer, const char *name)
{
	buf_printf(writer->buf, ".SH %s\n", name);
}

static void roff_subsection(struct writer *writer, const char *name)
{
	buf_str(writer->buf, ".SS \"");
	roff_text(writer->buf, name, strlen(name));
	buf_str(writer->buf, "\"\n");
}

static void roff_paragraphs(struct writer *writer, const char *text)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t size = end ? (size_t)(end - text) : strlen(text);

		buf_str(writer->buf, ".PP\n");
		roff_text(writer->buf, text, size);
		buf_putc(writer->buf, '\n');
		text += size + strspn(text + size, "\n");
	}
}

static void roff_line(struct writer *writer, const char *text)
{
	buf_str(writer->buf, ".nf\n.B \"");
	roff_text(writer->buf, text, strlen(text));
	buf_str(writer->buf, "\"\n.fi\n");
}

static void roff_item(struct writer *writer, const char *label, const char *text)
{
	size_t size;

	buf_str(writer->buf, ".TP\n\\fB");
	roff_text(writer->buf, label, strlen(label));
	buf_str(writer->buf, "\\fR\n");
	for (;; text += size + 1) {
		size = strcspn(text, "\n");
		roff_text(writer->buf, text, size);
		buf_putc(writer->buf, '\n');
		if (!text[size])
			break;
		buf_str(writer->buf, ".br\n");
	}
}

static const struct page_style roff_style = {
	.title = roff_title,
	.section = roff_section,
	.subsection = roff_subsection,
	.paragraphs = roff_paragraphs,
	.line = roff_line,
	.item = roff_item,
};

/* ---- text -------------------------------------------------------------------------------------- */

#define TEXT_INDENT 7
#define ITEM_INDENT 14

static void text_title(struct writer *writer, const struct option_page *page)
{
	(void)writer;
	(void)page;
}

static void text_heading(struct writer *writer, unsigned indent, const char *name)
{
	struct buf *buf = writer->buf;

	/* One empty line above, none above the first. */
	if (buf->size && !(buf->size > 1 && !memcmp(buf->data + buf->size - 2, "\n\n", 2)))
		buf_putc(buf, '\n');
	buf_fill(buf, ' ', indent);
	buf_printf(buf, writer->bold ? "\033[1m%s\033[m\n" : "%s\n", name);
}

static void text_section(struct writer *writer, const char *name)
{
	text_heading(writer, 0, name);
}

static void text_subsection(struct writer *writer, const char *name)
{
	text_heading(writer, 3, name);
}

/* Words of one paragraph, broken at the width; continued lines are indented alike. */
static void text_fill(struct writer *writer, const char *text, size_t size, unsigned indent)
{
	size_t column = 0;

	while (size) {
		size_t blanks = strspn(text, " \t\n"), word;

		blanks = blanks < size ? blanks : size;
		text += blanks;
		size -= blanks;
		word = strcspn(text, " \t\n");
		word = word < size ? word : size;
		if (!word)
			break;
		if (column && column + 1 + word > writer->width) {
			buf_putc(writer->buf, '\n');
			column = 0;
		}
		if (!column) {
			buf_fill(writer->buf, ' ', indent);
			column = indent;
		} else {
			buf_putc(writer->buf, ' ');
			column++;
		}
		buf_put(writer->buf, text, word);
		column += word;
		text += word;
		size -= word;
	}
	buf_putc(writer->buf, '\n');
}

static void text_paragraphs(struct writer *writer, const char *text)
{
	bool first = true;

	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t size = end ? (size_t)(end - text) : strlen(text);

		if (!first)
			buf_putc(writer->buf, '\n');
		first = false;
		text_fill(writer, text, size, TEXT_INDENT);
		text += size + strspn(text + size, "\n");
	}
}

static void text_line(struct writer *writer, const char *text)
{
	buf_fill(writer->buf, ' ', TEXT_INDENT);
	buf_printf(writer->buf, writer->bold ? "\033[1m%s\033[m\n" : "%s\n", text);
}

static void text_item(struct writer *writer, const char *label, const char *text)
{
	text_line(writer, label);
	while (*text) {
		size_t size = strcspn(text, "\n");

		text_fill(writer, text, size, ITEM_INDENT);
		text += size + (text[size] != '\0');
	}
	buf_putc(writer->buf, '\n');
}

static const struct page_style text_style = {
	.title = text_title,
	.section = text_section,
	.subsection = text_subsection,
	.paragraphs = text_paragraphs,
	.line = text_line,
	.item = text_item,
};

/* ---- what the page says ------------------------------------------------------------------------ */

static void say_name(struct writer *writer, const struct option_page *page)
{
	struct buf text = BUF_INIT;
	const char *name = page->spec->name;

	buf_str(&text, page->program);
	for (const char *c = name ? name : ""; *c; c++) {
		if (c == name)
			buf_putc(&text, '-');
		buf_putc(&text, *c == ' ' ? '-' : *c);
	}
	buf_printf(&text, " - %s", page->spec->summary ? page->spec->summary : "");
	writer->style->section(writer, "NAME");
	writer->style->paragraphs(writer, buf_text(&text));
	buf_release(&text);
}

static void say_line(struct writer *writer, const struct option_page *page, const char *line)
{
	struct buf text = BUF_INIT;

	buf_printf(&text, "%s %s", page->program, line);
	writer->style->line(writer, buf_text(&text));
	buf_release(&text);
}

static void say_synopsis(struct writer *writer, const struct option_page *page)
{
	const struct option_spec *spec = page->spec;

	writer->style->section(writer, "SYNOPSIS");
	for (size_t i = 0; i < NR_ITEMS(spec->usage) && spec->usage[i]; i++)
		say_line(writer, page, spec->usage[i]);
}

static void say_examples(struct writer *writer, const struct option_page *page)
{
	const struct option_example *examples = page->spec->examples;

	if (!examples[0].line)
		return;
	writer->style->section(writer, "EXAMPLES");
	for (size_t i = 0; i < NR_ITEMS(page->spec->examples) && examples[i].line; i++) {
		struct buf label = BUF_INIT;

		buf_printf(&label, "%s %s", page->program, examples[i].line);
		writer->style->item(writer, buf_text(&label), examples[i].what ? examples[i].what : "");
		buf_release(&label);
	}
}

static void say_row(const struct option_row *row, void *context)
{
	struct writer *writer = context;
	struct buf label = BUF_INIT, text = BUF_INIT;

	option_doc_label(row, &label);
	buf_str(&text, row->help ? row->help : "");
	if (row->type == OPTION_TYPE_CHOICE) {
		buf_str(&text, "\nOne of:");
		for (const struct option_choice *choice = row->choices; choice->name; choice++)
			buf_printf(&text, "%s %s", choice == row->choices ? "" : ",", choice->name);
		buf_putc(&text, '.');
	}
	if (row->absent && row->flags & (OPTION_OPTIONAL | OPTION_OPTIONAL_WORD))
		buf_printf(&text, "\nWithout a value: %s.", row->absent);
	if (row->flags & OPTION_REPEATS)
		buf_str(&text, "\nMay be given several times.");
	if (row->config)
		buf_printf(&text, "\nConfiguration: %s.", row->config);
	writer->style->item(writer, buf_text(&label), buf_text(&text));
	buf_release(&label);
	buf_release(&text);
}

static void say_options(struct writer *writer, const struct option_spec *spec, bool with_section)
{
	struct option_headings headings;

	option_doc_headings(spec, &headings);
	if (!headings.nr)
		return;
	if (with_section)
		writer->style->section(writer, "OPTIONS");
	for (size_t i = 0; i < headings.nr; i++) {
		if (headings.names[i][0])
			writer->style->subsection(writer, headings.names[i]);
		else if (i)
			writer->style->subsection(writer, "Other options");
		option_doc_each_under(spec, headings.names[i], say_row, writer);
	}
}

/* Of the program: its commands. Of a command with subcommands: their options too. */
static void say_parts(struct writer *writer, const struct option_page *page)
{
	if (!page->parts || !page->parts[0])
		return;
	writer->style->section(writer, "COMMANDS");
	for (const struct option_spec *const *part = page->parts; *part; part++) {
		struct buf label = BUF_INIT;

		buf_printf(&label, "%s %s", page->program, (*part)->name);
		if (page->spec->name) {
			writer->style->subsection(writer, buf_text(&label));
			writer->style->paragraphs(writer, (*part)->summary ? (*part)->summary : "");
			say_options(writer, *part, false);
		} else {
			writer->style->item(writer, buf_text(&label),
					    (*part)->summary ? (*part)->summary : "");
		}
		buf_release(&label);
	}
}

static int add_config(const struct option_set *set, const struct option_row *row, void *context)
{
	struct writer *writer = context;

	(void)set;
	/* Keys that stand with an option have been said there. */
	if (row->config && !row->name && !row->short_name)
		writer->style->item(writer, row->config, row->help ? row->help : "");
	return 0;
}

static int has_bare_key(const struct option_set *set, const struct option_row *row, void *context)
{
	(void)set;
	(void)context;
	return row->config && !row->name && !row->short_name;
}

static void say_see_also(struct writer *writer, const struct option_page *page)
{
	struct buf text = BUF_INIT;
	const char *name = page->spec->see_also;

	while (name && *name) {
		size_t size = strcspn(name, ", ");

		if (size)
			buf_printf(&text, "%s%s-%.*s(1)", text.size ? ", " : "", page->program, (int)size,
				   name);
		name += size + strspn(name + size, ", ");
	}
	if (page->spec->name)
		buf_printf(&text, "%s%s(1)", text.size ? ", " : "", page->program);
	if (text.size) {
		writer->style->section(writer, "SEE ALSO");
		writer->style->paragraphs(writer, buf_text(&text));
	}
	buf_release(&text);
}

static void say_page(struct writer *writer, const struct option_page *page)
{
	const struct option_spec *spec = page->spec;

	writer->style->title(writer, page);
	say_name(writer, page);
	say_synopsis(writer, page);
	say_examples(writer, page);
	if (spec->description) {
		writer->style->section(writer, "DESCRIPTION");
		writer->style->paragraphs(writer, spec->description);
	}
	say_options(writer, spec, true);
	say_parts(writer, page);
	if (option_each(spec, has_bare_key, NULL)) {
		writer->style->section(writer, "CONFIGURATION");
		option_each(spec, add_config, writer);
	}
	say_see_also(writer, page);
}

void option_doc_man(const struct option_page *page, struct buf *buf)
{
	struct writer writer = { .buf = buf, .style = &roff_style };

	say_page(&writer, page);
}

void option_doc_text(const struct option_page *page, unsigned width, bool bold, struct buf *buf)
{
	struct writer writer = {
		.buf = buf, .width = width < 40 ? 40 : width, .bold = bold, .style = &text_style
	};

	say_page(&writer, page);
}
