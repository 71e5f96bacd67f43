// SPDX-License-Identifier: Apache-2.0
//
// The program that `make demo` profiles: a small search engine that makes its own documents.
//
//   writer    composes texts (libwords.so) and writes them to files          kernel: write
//   indexers  read the files and count words (libwords.so) into the index  kernel: read, futex
//   packer    compresses every document (libz) into an archive             kernel: read, write
//   ranker    asks the index and sorts the answers by tf-idf (libm, std::sort)
//
// So its profile has C and C++, five shared objects, named threads, locks and kernel time.
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "words.h"

namespace search {

constexpr size_t document_size = 96 * 1024;

struct Posting {
	uint32_t document;
	uint32_t count;
};

/* Hands over from one thread to others; who is ahead waits. */
template <typename T> class Queue {
public:
	void push(T item)
	{
		std::unique_lock<std::mutex> guard(lock);

		changed.wait(guard, [this] { return items.size() < 8; });
		items.push_back(item);
		changed.notify_all();
	}

	bool pop(T &ret_item)
	{
		std::unique_lock<std::mutex> guard(lock);

		changed.wait(guard, [this] { return !items.empty() || is_closed; });
		if (items.empty())
			return false;
		ret_item = items.front();
		items.pop_front();
		changed.notify_all();
		return true;
	}

	void close()
	{
		std::lock_guard<std::mutex> guard(lock);

		is_closed = true;
		changed.notify_all();
	}

private:
	std::mutex lock;
	std::condition_variable changed;
	std::deque<T> items;
	bool is_closed = false;
};

class Index {
public:
	void add(uint32_t document, words *counted)
	{
		struct Context {
			Index *index;
			uint32_t document;
		} context{ this, document };
		std::lock_guard<std::mutex> guard(lock);

		documents++;
		words_each(
			counted,
			[](void *raw, const char *word, uint32_t count) {
				auto context = static_cast<Context *>(raw);

				context->index->postings[word].push_back({ context->document, count });
			},
			&context);
	}

	template <typename Query> std::vector<std::pair<double, uint32_t>> rank(const Query &query)
	{
		std::lock_guard<std::mutex> guard(lock);
		std::unordered_map<uint32_t, double> scores;

		for (const auto &word : query) {
			auto found = postings.find(word);

			if (found == postings.end())
				continue;
			double rare = std::log(1.0 + double(documents) / double(found->second.size()));

			for (const Posting &posting : found->second)
				scores[posting.document] += std::pow(double(posting.count), 0.75) * rare;
		}
		std::vector<std::pair<double, uint32_t>> answers;

		for (const auto &[document, score] : scores)
			answers.emplace_back(score / std::sqrt(1.0 + document), document);
		std::sort(answers.begin(), answers.end(), std::greater<>());
		return answers;
	}

	std::string word_near(const std::string &prefix)
	{
		std::lock_guard<std::mutex> guard(lock);
		auto found = postings.lower_bound(prefix);

		return found == postings.end() ? prefix : found->first;
	}

	size_t size()
	{
		std::lock_guard<std::mutex> guard(lock);

		return postings.size();
	}

private:
	std::mutex lock;
	std::map<std::string, std::vector<Posting>> postings;
	size_t documents = 0;
};

class Engine {
public:
	Engine(std::string folder, double seconds)
		: folder(std::move(folder)), until(std::chrono::steady_clock::now() +
						   std::chrono::milliseconds(long(seconds * 1000)))
	{
	}

	void run()
	{
		std::vector<std::thread> threads;

		threads.push_back(start("indexer", &Engine::index));
		threads.push_back(start("indexer", &Engine::index));
		threads.push_back(start("packer", &Engine::pack));
		threads.push_back(start("ranker", &Engine::rank));
		std::thread writer = start("writer", &Engine::write);

		writer.join();
		to_indexers.close();
		to_packer.close();
		for (std::thread &thread : threads)
			thread.join();
		printf("%u documents, %zu words, %lu queries, %.1f MB packed into %.1f MB\n", documents.load(),
		       words_index.size(), queries.load(), double(packed_from) / 1e6, double(packed_to) / 1e6);
	}

private:
	std::thread start(const char *name, void (Engine::*work)())
	{
		std::thread thread(work, this);

		pthread_setname_np(thread.native_handle(), name);
		return thread;
	}

	bool is_over() const
	{
		return std::chrono::steady_clock::now() >= until;
	}

	std::string path(uint32_t document) const
	{
		return folder + "/" + std::to_string(document % 64) + ".txt";
	}

	void write()
	{
		std::vector<char> text(document_size);

		while (!is_over()) {
			uint32_t document = documents++;
			size_t size = words_compose(text.data(), text.size(), document);
			int fd = open(path(document).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

			/* Small writes, as programs do that print line by line. */
			for (size_t at = 0; at < size; at += 256)
				if (::write(fd, text.data() + at, std::min<size_t>(256, size - at)) < 0)
					abort();
			close(fd);
			to_indexers.push(document);
			to_packer.push(document);
		}
	}

	std::vector<char> load(uint32_t document) const
	{
		std::vector<char> text(document_size);
		int fd = open(path(document).c_str(), O_RDONLY | O_CLOEXEC);
		size_t size = 0;

		for (ssize_t got; (got = read(fd, text.data() + size, std::min<size_t>(4096, text.size() - size))) > 0;)
			size += size_t(got);
		close(fd);
		text.resize(size);
		return text;
	}

	void index()
	{
		uint32_t document;

		while (to_indexers.pop(document)) {
			std::vector<char> text = load(document);
			words *counted = words_new();

			words_count(counted, text.data(), text.size());
			words_index.add(document, counted);
			words_free(counted);
		}
	}

	void pack()
	{
		std::vector<unsigned char> packed(compressBound(document_size));
		uint32_t document;
		int fd = open((folder + "/archive").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		while (to_packer.pop(document)) {
			std::vector<char> text = load(document);
			uLongf size = packed.size();

			if (compress2(packed.data(), &size, reinterpret_cast<unsigned char *>(text.data()),
				      text.size(), 4) != Z_OK ||
			    pwrite(fd, packed.data(), size, 0) < 0)
				abort();
			packed_from += text.size();
			packed_to += size;
		}
		close(fd);
	}

	void rank()
	{
		while (!is_over()) {
			std::vector<std::string> query;

			for (unsigned i = 0; i < 3; i++) {
				std::string prefix{ char('a' + (queries * 7 + i * 5) % 26),
						    char('a' + (queries * 3 + i) % 26) };

				query.push_back(words_index.word_near(prefix));
			}
			for (const auto &[score, document] : words_index.rank(query))
				if (score > best[document % 64])
					best[document % 64] = score;
			queries++;
			std::this_thread::sleep_for(std::chrono::microseconds(200));
		}
	}

	std::string folder;
	std::chrono::steady_clock::time_point until;
	Index words_index;
	Queue<uint32_t> to_indexers, to_packer;
	std::atomic<uint32_t> documents{ 0 };
	std::atomic<unsigned long> queries{ 0 };
	size_t packed_from = 0, packed_to = 0;
	double best[64] = {};
};

} // namespace search

int main(int argc, char **argv)
{
	char folder[] = "/tmp/sonde-demo.XXXXXX";

	if (!mkdtemp(folder))
		return 1;
	search::Engine(folder, argc > 1 ? atof(argv[1]) : 4).run();
	for (int i = 0; i < 64; i++)
		unlink((std::string(folder) + "/" + std::to_string(i) + ".txt").c_str());
	unlink((std::string(folder) + "/archive").c_str());
	return rmdir(folder);
}
